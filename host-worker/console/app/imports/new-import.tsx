import { delimiterNames } from '../../../../domain/imports/file/csv-cells.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/states.tsx'
import { Chooser } from './chooser.tsx'
import type { ImportKind } from './import-kind.ts'
import { isKnown, leavingOthersOut, MappingTable, missingFields } from './mapping-table.tsx'
import { Outcome } from './outcome.tsx'
import { Sending } from './sending.tsx'
import type { Choice } from './use-choice.ts'
import { useChoice } from './use-choice.ts'
import { useRun } from './use-run.ts'

interface NewImportProps {
  readonly organizationId: string
  readonly kinds: readonly ImportKind[]
  /** Called when an import is open, and when it has ended. */
  readonly onChanged: () => void
}

/** Imports a file: what it holds, what its columns mean, and what comes of it. */
export function NewImport({ organizationId, kinds, onChanged }: NewImportProps) {
  const choice = useChoice(kinds)
  const run = useRun(onChanged)
  const { kind, file, format, mapping, head } = choice
  const { ended } = run
  const isReadable = format === 'ndjson' || (head !== null && 'cells' in head)
  const start = (isDryRun: boolean): void => {
    if (kind !== null && file !== null)
      run.start({ organizationId, kind: kind.kind, format, mapping, isDryRun, file })
  }
  return (
    <Card title="Import a file">
      {run.isRunning ? (
        <Sending progress={run.progress} onCancel={run.cancel} />
      ) : (
        <div class="stack">
          <Chooser kinds={kinds} choice={choice} />
          {kind !== null && file !== null && isReadable && (
            <Ready kind={kind} choice={choice} onStart={start} />
          )}
          {head !== null && 'problem' in head && <p class="note failed">{head.problem}</p>}
          {run.failure !== null && <FailureNote failure={run.failure} onRetry={run.goOn} />}
          {ended !== null && ended.sent.file === file && ended.sent.kind === kind?.kind && (
            <Outcome outcome={ended.outcome} file={file} />
          )}
        </div>
      )}
    </Card>
  )
}

interface ReadyProps {
  readonly kind: ImportKind
  readonly choice: Choice
  readonly onStart: (isDryRun: boolean) => void
}

/** A file that can be read: what its columns mean, and the buttons that send it. */
function Ready({ kind, choice: { columns, head, chooseMapping }, onStart }: ReadyProps) {
  const isDecided = columns.every(isKnown)
  const missing = head === null ? [] : missingFields(kind, columns)
  return (
    <>
      {head !== null && 'cells' in head && (
        <>
          <p class="soft">Its cells are divided by a {delimiterNames[head.delimiter]}.</p>
          <MappingTable kind={kind} columns={columns} sample={head.sample} onMapping={chooseMapping} />
        </>
      )}
      {missing.length > 0 && (
        <p class="note">Every row needs these fields, and no column has them: {missing.join(', ')}.</p>
      )}
      {isDecided ? (
        <div class="buttons">
          <Button
            kind="primary"
            onClick={() => {
              onStart(false)
            }}
          >
            Import
          </Button>
          <Button
            onClick={() => {
              onStart(true)
            }}
          >
            Check only
          </Button>
        </div>
      ) : (
        <div class="note">
          <p>Say first what each marked column means.</p>
          <Button
            onClick={() => {
              chooseMapping(leavingOthersOut(columns))
            }}
          >
            Leave them all out
          </Button>
        </div>
      )}
    </>
  )
}
