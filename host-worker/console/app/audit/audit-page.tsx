import { useState } from 'preact/hooks'
import { Badge } from '../kit/card.tsx'
import { SelectField, TextField } from '../kit/field.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { PagedTable } from '../kit/table.tsx'
import { TheirText, momentText, useSettled } from '../kit/text.tsx'
import type { CallOf, ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'

type Recorded = ItemOf<'audit.list'>
type Filter = NonNullable<CallOf<'audit.list'>['query']>
type Action = NonNullable<Filter['action']>

const tones = { done: 'good', refused: 'neutral', forbidden: 'waiting', failed: 'bad' } as const

/** Every action in words. The compiler checks that none is missing. */
const actionTexts: Readonly<Record<Action, string>> = {
  'organization.save': 'Save an organization',
  'organization.move': 'Move an organization',
  'organization.abortMove': 'Abort a move',
  'organization.export': 'Export an organization',
  'organization.restore': 'Restore an organization',
  'organization.delete': 'Delete an organization',
  'organization.backup': 'Back up an organization',
  'rows.delete': 'Delete rows',
  'contact.erase': 'Erase a person',
  'retention.set': 'Set the retention',
  'backup.delete': 'Delete a backup',
  'backup.read': 'Read a backup',
  'backup.remove': 'Remove a backup',
  'key.issue': 'Issue a key',
  'key.revoke': 'Revoke a key',
  'key.rotate': 'Rotate a key',
  'operatorKey.issue': 'Issue an operator key',
  'operatorKey.revoke': 'Revoke an operator key',
  'form.save': 'Save forms',
  'form.publish': 'Publish forms',
  'import.open': 'Open an import',
  'import.commit': 'Commit an import',
  'import.abort': 'Abort an import',
  'outbox.retry': 'Retry an entry of the outbox',
}
const actions = Object.entries(actionTexts).map(([value, label]) => ({ value, label }))

const columns: readonly Column<Recorded>[] = [
  { title: 'At', cell: ({ at }) => momentText(at) },
  {
    title: 'Who',
    cell: ({ operator, operatorKeyId }) => (
      <span>
        <TheirText text={operator} /> <code>{operatorKeyId ?? 'root secret'}</code>
      </span>
    ),
  },
  { title: 'Action', cell: ({ action }) => actionTexts[action as Action] ?? action },
  { title: 'Organization', cell: ({ organizationId }) => organizationId ?? '' },
  { title: 'Outcome', cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge> },
  { title: 'About', width: 'minmax(0, 1.5fr)', cell: ({ subject }) => subjectText(subject) },
]

/** What operators did, narrowed as the person chooses. */
export function Page() {
  const [organizationId, setOrganizationId] = useState('')
  const [operatorKeyId, setOperatorKeyId] = useState('')
  const [action, setAction] = useState('')
  const chosen = (Object.keys(actionTexts) as Action[]).find((known) => known === action)
  const query = {
    organizationId: useSettled(organizationId.trim()),
    operatorKeyId: useSettled(operatorKeyId.trim()),
    ...(chosen === undefined ? {} : { action: chosen }),
  }
  const records = usePages('audit.list', { query })
  return (
    <>
      <PageHeader title="Audit" />
      <div class="filters">
        <TextField label="Organization" value={organizationId} onValue={setOrganizationId} />
        <TextField label="Operator key" value={operatorKeyId} onValue={setOperatorKeyId} />
        <SelectField
          label="Action"
          value={action}
          onValue={setAction}
          options={[{ value: '', label: 'All' }, ...actions]}
        />
      </div>
      <PagedTable
        label="Audit"
        pages={records}
        columns={columns}
        rowKey={(record) => JSON.stringify(record)}
        empty={<Empty title="There is no such record." />}
      />
    </>
  )
}

type Subject = ItemOf<'audit.list'>['subject']

/** What a change is about, in a line: each of its facts with its name. */
function subjectText(subject: Subject): string {
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
