import { useState } from 'preact/hooks'
import { Badge } from '../kit/badge.tsx'
import { SelectField, TextField } from '../kit/input/field.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { momentText } from '../kit/text.ts'

import { TheirText } from '../kit/their-text.tsx'
import { useSettled } from '../kit/use-settled.ts'
import type { CallOf, ItemOf } from '../service/operations.ts'
import { usePages } from '../service/use-pages.ts'
import { subjectText } from './subject-text.ts'

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
