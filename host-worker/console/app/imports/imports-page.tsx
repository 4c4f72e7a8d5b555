import { useEffect, useMemo, useState } from 'preact/hooks'
import { delimiterNames } from '../../../../domain/imports/file/header.ts'
import type { FileImport } from '../../../../domain/imports/file/skip-problems.ts'
import { Button, CheckField, calls, toast } from '../kit/controls.tsx'
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
import { Chooser, MappingTable, useChoice, type Choice } from './choice.tsx'
import {
  isKnown,
  missingFields,
  rulesOf,
  takesAttributes,
  withOthers,
  type FileHead,
  type ImportKind,
} from './columns.ts'
import { Outcome, type EndedRun } from './outcome.tsx'
import { sendFile, type SendProgress, type SentFile } from './send-file.ts'
import { toldImports, type Import, type ToldImport } from './told-imports.ts'

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
  const isReceiving = imports.items.some(({ state }) => state === 'receiving')
  const told = useMemo(() => toldImports(imports.items), [imports.items])
  const change: Column<ToldImport> = {
    title: 'Change',
    width: '7rem',
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
          {({ data }) => (
            <NewImport key={organizationId} organizationId={organizationId} kinds={data} onChanged={reload} />
          )}
        </Shown>
      )}
      {abort.failure !== null && <FailureNote failure={abort.failure} />}
      {mayImport && isReceiving && (
        <p class="soft">An import that receives nothing more goes on when its file is chosen again.</p>
      )}
      <PagedTable
        label="Imports"
        pages={{ ...imports, items: told }}
        columns={mayImport && isReceiving ? [...columns, change] : columns}
        rowKey={({ importId }) => importId}
        empty={<Empty title="Nothing was imported within a day." />}
      />
    </>
  )
}

const columns: readonly Column<ToldImport>[] = [
  {
    title: 'Rows',
    cell: ({ kind, dryRun, allProblems }) =>
      allProblems ? `${kind}, check` : dryRun ? `${kind}, preview` : kind,
  },
  {
    title: 'State',
    width: '6rem',
    cell: ({ state }) => <Badge tone={stateTones[state]}>{state}</Badge>,
  },
  { title: 'What came of it', width: 'minmax(0, 3fr)', cell: ({ text }) => text },
  { title: 'Opened', width: '11rem', cell: ({ openedAt }) => momentText(openedAt) },
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
  const choice = useChoice(kinds, organizationId)
  const run = useRun(onChanged)
  const { kind, file, format, mapping, read, skipsProblems, chooseSkipping } = choice
  const ended = run.ended !== null && isAbout(run.ended, choice) ? run.ended : null
  const start = (isDryRun: boolean, isSkipping = skipsProblems): void => {
    if (kind === null || file === null || read === null || 'problem' in read) return
    const { source, head } = read
    const rules = head === null ? null : rulesOf(kind, mapping)
    const how = { organizationId, kind: kind.kind, format, mapping, isDryRun }
    run.start({ ...how, file, source, rules, skipsProblems: isSkipping })
  }
  const skip = (): void => {
    chooseSkipping(true)
    start(true, true)
  }
  return (
    <Card title="Import a file">
      {run.isRunning ? (
        <Sending progress={run.progress} onCancel={run.cancel} />
      ) : (
        <div class="stack">
          <Chooser kinds={kinds} choice={choice} />
          {kind !== null && read !== null && !('problem' in read) && (
            <Ready
              kind={kind}
              head={read.head}
              choice={choice}
              isPreviewed={ended?.outcome.kind === 'checked'}
              onStart={start}
            />
          )}
          {read !== null && 'problem' in read && (
            <p class="note failed" role="alert">
              {read.problem}
            </p>
          )}
          {run.failure !== null && <FailureNote failure={run.failure} onRetry={run.goOn} />}
          {ended !== null && (
            <Outcome ended={ended} onSkip={format === 'csv' && !skipsProblems ? skip : null} />
          )}
        </div>
      )}
    </Card>
  )
}

/** Whether what came of a file is about what is chosen now. What was imported stays so, however it is read next. */
function isAbout({ sent, outcome }: EndedRun, { file, kind, mapping, read, skipsProblems }: Choice): boolean {
  if (sent.file !== file || sent.kind !== kind?.kind) return false
  if (outcome.kind === 'imported') return true
  const isSameReading = read !== null && !('problem' in read) && read.source === sent.source
  const isSameMapping = JSON.stringify(sent.mapping) === JSON.stringify(mapping)
  return isSameReading && isSameMapping && sent.skipsProblems === skipsProblems
}

interface ReadyProps {
  readonly kind: ImportKind
  /** Null: the file has no columns. */
  readonly head: FileHead | null
  readonly choice: Choice
  /** Whether a preview of just this has found that it can be imported. */
  readonly isPreviewed: boolean
  readonly onStart: (isDryRun: boolean) => void
}

/** A file that can be read: what its columns mean, and the buttons that send it. */
function Ready({ kind, head, choice, isPreviewed, onStart }: ReadyProps) {
  const { columns, mapping, chooseMapping, skipsProblems, chooseSkipping } = choice
  const unknown = columns.filter((one) => !isKnown(one)).map(({ column }) => column)
  const missing = head === null ? [] : missingFields(kind, columns)
  return (
    <>
      {head !== null && (
        <>
          <p class="soft">
            Its cells are divided by a {delimiterNames[head.delimiter]}. Look at what each column means:
          </p>
          <MappingTable
            kind={kind}
            columns={columns}
            rows={head.rows}
            mapping={mapping}
            onMapping={chooseMapping}
          />
          <CheckField
            label="Skip rows with problems, and get them as a file to mend"
            isChecked={skipsProblems}
            onChecked={chooseSkipping}
          />
        </>
      )}
      {missing.length > 0 && (
        <p class="note">Every row needs these fields, and no column has them: {missing.join(', ')}.</p>
      )}
      {unknown.length === 0 ? (
        <div class="buttons">
          <Button kind={isPreviewed ? 'plain' : 'primary'} onClick={calls(onStart, true)}>
            Preview
          </Button>
          <Button kind={isPreviewed ? 'primary' : 'plain'} onClick={calls(onStart, false)}>
            Import
          </Button>
        </div>
      ) : (
        <div class="note">
          <p>Say first what each marked column means: {unknown.join(', ')}.</p>
          <div class="buttons">
            {takesAttributes(kind) && (
              <Button onClick={calls(chooseMapping, withOthers(columns, 'attributes'))}>
                Keep them all as attributes
              </Button>
            )}
            <Button onClick={calls(chooseMapping, withOthers(columns, 'out'))}>Leave them all out</Button>
          </div>
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
  readonly ended: EndedRun | null
}

/** @param onChanged called when an import is open, and when it has ended */
function useRun(onChanged: () => void): Run {
  const [sent, setSent] = useState<SentFile | null>(null)
  const [ended, setEnded] = useState<EndedRun | null>(null)
  const sending = useLongAction<SendProgress, SentFile, FileImport>(sendFile, (imported, input) => {
    setEnded({ sent: input, ...imported })
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
  comparing: 'Every row is in order. They are compared with what is stored; nothing is written.',
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
