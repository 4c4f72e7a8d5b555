import { useEffect, useState } from 'preact/hooks'
import { delimiterNames } from '../../../../domain/imports/file/header.ts'
import { lineTexts } from '../../../../domain/imports/file/lines.ts'
import {
  FILE_PROBLEMS_MAX,
  endOfCheck,
  outcomeText,
  type ImportOutcome,
} from '../../../../domain/imports/file/transfer.ts'
import { Button, calls, toast } from '../kit/controls.tsx'
import { useLeaveWarning } from '../kit/dialog.tsx'
import {
  Badge,
  Card,
  Empty,
  FailureNote,
  ProgressBar,
  Shown,
  countText,
  momentText,
  type Tone,
} from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import type { OrganizationProps } from '../organizations/organization.ts'
import type { Failure } from '../service/client.ts'
import { useAction, useCall, useChanging, useLongAction, usePages } from '../service/hooks.ts'
import { useMay } from '../session.tsx'
import {
  Chooser,
  MappingTable,
  isKnown,
  leavingOthersOut,
  missingFields,
  useChoice,
  type Choice,
  type Import,
  type ImportKind,
} from './choice.tsx'
import { sendFile, sourceOf, type SendProgress, type SentFile } from './send-file.ts'

/** How often the list is read again while an import is open, in ms. */
const LOOK_MS = 3_000

const stateTones: Readonly<Record<Import['state'], Tone>> = {
  receiving: 'waiting',
  writing: 'waiting',
  done: 'good',
  checked: 'good',
  refused: 'bad',
  aborted: 'neutral',
}

/** The imports of an organization: a new one, and those of the last day. */
export function Page({ organizationId }: OrganizationProps) {
  const mayImport = useMay('imports.open')
  const kinds = useCall('importKinds.list')
  const imports = usePages('imports.list', { params: { organizationId } })
  const { reload } = imports
  useChanging(imports, isOpen, LOOK_MS)
  const abort = useAction(
    (client, importId: string) => client.call('imports.abort', { params: { organizationId, importId } }),
    () => {
      toast('The import is given up. Nothing of it was written.')
      reload()
    },
  )
  const change: Column<Import> = {
    title: 'Change',
    width: '6rem',
    cell: ({ importId, kind, state }) =>
      state === 'receiving' && (
        <span class="row-buttons">
          <Button aria-label={`Give up the import of ${kind}`} onClick={calls(abort.run, importId)}>
            Give up
          </Button>
        </span>
      ),
  }
  return (
    <>
      {mayImport && (
        <Shown reading={kinds} lines={3}>
          {({ data }) => <NewImport organizationId={organizationId} kinds={data} onChanged={reload} />}
        </Shown>
      )}
      {abort.failure !== null && <FailureNote failure={abort.failure} />}
      {mayImport && imports.items.some(({ state }) => state === 'receiving') && (
        <p class="soft">An import that receives nothing more goes on when its file is chosen again.</p>
      )}
      <PagedTable
        label="Imports"
        pages={imports}
        columns={mayImport ? [...columns, change] : columns}
        rowKey={({ importId }) => importId}
        empty={<Empty title="Nothing was imported within a day." />}
      />
    </>
  )
}

const columns: readonly Column<Import>[] = [
  { title: 'Rows', cell: ({ kind, dryRun }) => (dryRun ? `${kind}, check only` : kind) },
  { title: 'State', cell: ({ state }) => <Badge tone={stateTones[state]}>{state}</Badge> },
  { title: 'Read', width: '5rem', align: 'end', cell: ({ readRows }) => countText(readRows) },
  { title: 'Changed', width: '5rem', align: 'end', cell: ({ changedRows }) => countText(changedRows) },
  { title: 'Problems', width: '5rem', align: 'end', cell: ({ problems }) => countText(problems.length) },
  { title: 'Opened', cell: ({ openedAt }) => momentText(openedAt) },
]

function isOpen({ state }: Import): boolean {
  return state === 'receiving' || state === 'writing'
}

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
          <Button kind="primary" onClick={calls(onStart, false)}>
            Import
          </Button>
          <Button onClick={calls(onStart, true)}>Check only</Button>
        </div>
      ) : (
        <div class="note">
          <p>Say first what each marked column means.</p>
          <Button onClick={calls(chooseMapping, leavingOthersOut(columns))}>Leave them all out</Button>
        </div>
      )}
    </>
  )
}

/** An import of the page, from its first request to its end. */
interface Run {
  readonly start: (sent: SentFile) => void
  /** Goes on where a lost connection stopped it. */
  readonly goOn: () => void
  readonly cancel: () => void
  readonly isRunning: boolean
  readonly progress: SendProgress | null
  /** Why it could not go on; null: it could. */
  readonly failure: Failure | null
  /** What the last one came to; null: there was none, or it runs. */
  readonly ended: { readonly sent: SentFile; readonly outcome: ImportOutcome } | null
}

/** @param onChanged called when an import is open, and when it has ended */
function useRun(onChanged: () => void): Run {
  const [sent, setSent] = useState<SentFile | null>(null)
  const [ended, setEnded] = useState<Run['ended']>(null)
  const sending = useLongAction<SendProgress, SentFile, ImportOutcome>(sendFile, (outcome, input) => {
    setEnded({ sent: input, outcome })
    onChanged()
  })
  const abort = useAction(
    (client, params: { readonly organizationId: string; readonly importId: string }) =>
      client.call('imports.abort', { params }),
    () => {
      toast('The import is given up. Nothing of it was written.')
      onChanged()
    },
  )
  const importId = sending.progress?.importId ?? null
  useEffect(() => {
    if (importId !== null) onChanged()
  }, [importId])
  const start = (input: SentFile): void => {
    setSent(input)
    setEnded(null)
    abort.forget()
    sending.run(input)
  }
  return {
    start,
    goOn: () => {
      if (sent !== null) start(sent)
    },
    cancel: () => {
      sending.stop()
      if (sent !== null && importId !== null) abort.run({ organizationId: sent.organizationId, importId })
    },
    isRunning: sending.isRunning,
    progress: sending.progress,
    failure: sending.failure ?? abort.failure,
    ended,
  }
}

const passTexts = {
  reading: 'The file is read.',
  checking: 'The file is sent and checked.',
  writing: 'Every row is in order. They are written; this goes on by itself even when you leave.',
} as const

interface SendingProps {
  readonly progress: SendProgress | null
  readonly onCancel: () => void
}

/** How far the import is that is running. */
function Sending({ progress, onCancel }: SendingProps) {
  const { pass = 'reading', rows = 0, done = 0, most = 0, waitsFor = null } = progress ?? {}
  const mayCancel = pass !== 'writing'
  useLeaveWarning(mayCancel)
  return (
    <div class="progress" role="status">
      <p>
        {passTexts[pass]} Rows: {countText(rows)}.
      </p>
      <ProgressBar label="Import" done={done} most={most} />
      {waitsFor !== null && <p class="note offline">{waitsFor} It is tried again by itself.</p>}
      {mayCancel && (
        <div class="buttons">
          <Button onClick={onCancel}>Cancel the import</Button>
        </div>
      )}
    </div>
  )
}

/** What an import came to. */
function Outcome({ outcome, file }: { readonly outcome: ImportOutcome; readonly file: File }) {
  if (outcome.kind === 'invalid') return <ProblemList file={file} problems={outcome.problems} />
  if (outcome.kind === 'stopped')
    return (
      <p class="note failed" role="alert">
        {outcome.message}
      </p>
    )
  return (
    <div class="stack" role="status">
      <p class="note good">Rows: {outcomeText(outcome)}.</p>
      {outcome.warnings.length > 0 && (
        <ul>
          {outcome.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

type Problems = Extract<ImportOutcome, { readonly kind: 'invalid' }>['problems']

const LINE_SHOWN_MAX = 300

/** What is wrong with a file: each line with its text, and all of its problems. */
function ProblemList({ file, problems }: { readonly file: File; readonly problems: Problems }) {
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map())
  const lines = [...new Set(problems.map(({ line }) => line))]
  useEffect(() => {
    let isLatest = true
    // Without the texts, the problems still say everything.
    lineTexts(sourceOf(file), new Set(lines)).then(
      (found) => {
        if (isLatest) setTexts(found)
      },
      () => undefined,
    )
    return () => {
      isLatest = false
    }
  }, [file, problems])
  return (
    <div class="stack">
      <p class="note failed" role="alert">
        Nothing was imported: the file has{' '}
        {problems.length === 1 ? 'a problem' : `${problems.length} problems`}.{' '}
        {endOfCheck(problems.length, FILE_PROBLEMS_MAX)} Correct them in the file, save it, and choose it
        again.
      </p>
      <ol class="problems">
        {lines.map((line) => (
          <li key={line}>
            <h3>Line {line}</h3>
            {texts.has(line) && <pre>{texts.get(line)?.slice(0, LINE_SHOWN_MAX)}</pre>}
            <ul>
              {problems
                .filter((problem) => problem.line === line)
                .map(({ field, message }) => (
                  <li key={`${field} ${message}`}>
                    <code>{field}</code> {message}
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ol>
    </div>
  )
}
