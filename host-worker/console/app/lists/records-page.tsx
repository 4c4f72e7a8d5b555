import { Link } from 'wouter-preact'
import { RowButton, calls, toast } from '../kit/controls.tsx'
import { Empty, FailureNote, PageHeader, TheirText, momentText, useSettled } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import { OperationFields, columnsOf, useWriting } from '../operations/operation-form.tsx'
import { fieldsOf } from '../operations/written.ts'
import { organizationPath, type OrganizationProps } from '../organizations/organization.ts'
import { useAction, useChanging, usePages } from '../service/hooks.ts'
import type { CallOf, ItemOf } from '../service/operations.ts'

/** How often the outbox is read again while something waits, in ms. */
const LOOK_MS = 3_000

/** What waits or failed after a receipt, of one organization or of all, each with a button that tries it again. */
export function Outbox({ organizationId }: OrganizationProps) {
  const isOfAll = organizationId === ''
  const entries = usePages('outbox.list', isOfAll ? {} : { query: { organizationId } })
  useChanging(entries, ({ status }) => status === 'pending', LOOK_MS)
  const retry = useAction(
    (client, outboxId: string) => client.call('outbox.retry', { params: { outboxId } }),
    () => {
      toast('It is tried again within a minute.')
      entries.reload()
    },
  )
  const change = {
    title: 'Change',
    width: '7rem',
    cell: ({ outboxId }: { readonly outboxId: string }) => (
      <RowButton
        verb="Retry"
        of={outboxId}
        isRunning={retry.isRunning}
        onClick={calls(retry.run, outboxId)}
      />
    ),
  }
  return (
    <>
      {isOfAll && <PageHeader title="Outbox" />}
      {retry.failure !== null && <FailureNote failure={retry.failure} />}
      <PagedTable
        label="Outbox"
        pages={entries}
        columns={[...(isOfAll ? whose : []), ...outboxColumns, change]}
        rowKey={({ outboxId }) => outboxId}
        empty={<Empty title="Nothing waits and nothing failed.">What is done is not listed here.</Empty>}
      />
    </>
  )
}

const whose = columnsOf('outbox.list', [
  {
    of: 'organizationId',
    cell: ({ organizationId }) => (
      <Link href={organizationPath(organizationId, '/outbox')}>{organizationId}</Link>
    ),
  },
])

const outboxColumns = columnsOf('outbox.list', [
  'kind',
  { of: 'status', tones: { pending: 'waiting', held: 'neutral', failed: 'bad' } },
  { of: 'lastError', width: 'minmax(0, 2fr)' },
  {
    title: 'Due',
    cell: ({ status, nextAttemptAt }) => (status === 'pending' ? momentText(nextAttemptAt) : 'when retried'),
  },
  { of: 'attempts', align: 'end', width: '6rem' },
])

/** What an organization handed to the providers of messages, or what was with keys of the platform, newest first. */
export function Sends({ organizationId }: OrganizationProps) {
  const isOfPlatform = organizationId === ''
  const id = isOfPlatform ? 'platformSends.list' : 'sends.list'
  return (
    <>
      {isOfPlatform && <PageHeader title="Platform sends" />}
      <PagedTable
        label="Sends"
        pages={usePages<typeof id>(id, isOfPlatform ? {} : { params: { organizationId } })}
        columns={sendColumns}
        rowKey={({ at, channel, to, providerId }) => `${at} ${channel} ${to} ${providerId ?? ''}`}
        empty={<Empty title="Nothing was sent yet." />}
      />
    </>
  )
}

/** How each outcome of a send looks. */
export const sendTones = { accepted: 'good', failed: 'bad', pending: 'waiting', unknown: 'bad' } as const

const sendColumns = columnsOf('sends.list', [
  { of: 'channel', width: '6rem' },
  { of: 'to', width: 'minmax(0, 1.5fr)' },
  { of: 'from', width: 'minmax(0, 1.5fr)' },
  { of: 'outcome', tones: sendTones },
  'error',
  'at',
])

/** What operators did, narrowed as the person chooses. */
export function Audit() {
  const writing = useWriting(filters)
  const { organizationId = '', operatorKeyId = '', action = '' } = writing.written
  const query = {
    organizationId: useSettled(organizationId.trim()),
    operatorKeyId: useSettled(operatorKeyId.trim()),
    ...(action === '' ? {} : { action }),
  } as NonNullable<CallOf<'audit.list'>['query']>
  return (
    <>
      <PageHeader title="Audit" />
      <div class="filters">
        <OperationFields writing={writing} />
      </div>
      <PagedTable
        label="Audit"
        pages={usePages('audit.list', { query })}
        columns={auditColumns}
        rowKey={(record) => JSON.stringify(record)}
        empty={<Empty title="There is no such record." />}
      />
    </>
  )
}

const filters = fieldsOf('audit.list', 'query', ['organizationId', 'operatorKeyId', 'action']).map((field) =>
  field.kind === 'choice' ? ({ ...field, isNullable: true, none: 'All' } as const) : field,
)

const auditColumns = columnsOf('audit.list', [
  'at',
  {
    title: 'Who',
    cell: ({ operator, operatorKeyId }) => (
      <span>
        <TheirText text={operator} /> <code>{operatorKeyId ?? 'root secret'}</code>
      </span>
    ),
  },
  'action',
  'organizationId',
  { of: 'outcome', tones: { done: 'good', refused: 'neutral', forbidden: 'waiting', failed: 'bad' } },
  { title: 'About', width: 'minmax(0, 1.5fr)', cell: ({ subject }) => subjectText(subject) },
])

/** What a change is about, in a line: each of its facts with its name. */
function subjectText(subject: ItemOf<'audit.list'>['subject']): string {
  if (subject === null) return ''
  const { type, ...facts } = subject
  const texts = Object.entries(facts).map(([name, value]) => `${name} ${factText(value)}`)
  return [type, ...texts].join(', ')
}

function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(itemText).join(' ')
  return typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value)
}

/** What changed in a form is an object of names. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  return Object.values(item).flat().join(' ')
}
