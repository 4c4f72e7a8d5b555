import { PageHeader, Empty, TheirText, useSettled } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import { OperationFields, columnsOf, useWriting } from '../operations/operation-form.tsx'
import { fieldsOf } from '../operations/written.ts'
import type { CallOf, ItemOf } from '../service/operations.ts'
import { usePages } from '../service/hooks.ts'

const filters = fieldsOf('audit.list', 'query', ['organizationId', 'operatorKeyId', 'action']).map((field) =>
  field.kind === 'choice' ? ({ ...field, isNullable: true, none: 'All' } as const) : field,
)

/** What operators did, narrowed as the person chooses. */
export function Page() {
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
        columns={columns}
        rowKey={(record) => JSON.stringify(record)}
        empty={<Empty title="There is no such record." />}
      />
    </>
  )
}

const columns = columnsOf('audit.list', [
  'at',
  {
    title: 'Who',
    cell: ({ operator, operatorKeyId }) => (
      <span>
        <TheirText text={operator} /> <code>{operatorKeyId ?? 'root secret'}</code>
      </span>
    ),
  },
  ...(['action', 'organizationId'] as const),
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
