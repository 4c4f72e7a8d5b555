import type { Predicate } from '../../ports/query.ts'
import type { Table } from './tables.ts'
import { columnName, columnOf } from './tables.ts'

/** Pairs of equality filters that have indexes of their own, by table: a nested collection's parent and a filter. */
const combinedFields: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  automation_runs: [
    ['automationId', 'status'],
    ['automationId', 'contactId'],
  ],
  form_submissions: [['formId', 'contactId']],
}

/**
 * The index that serves a page: named after the table, the columns it is narrowed by and the column that orders it
 * (see the migrations). With more equality filters than an index has, the first one narrows and the others are
 * tested row by row.
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): string {
  const equal = where.filter(({ operator, field }) => operator === 'equals' && field !== orderField)
  const narrowing = narrowingFields(
    table,
    equal.map(({ field }) => field),
  )
  const fields = [...narrowing, orderField]
  for (const field of fields) columnOf(table, field)
  return [table.name, ...fields.map(columnName)].join('_')
}

function narrowingFields(table: Table, equal: readonly string[]): readonly string[] {
  const pairs = combinedFields[table.name] ?? []
  return pairs.find((pair) => pair.every((field) => equal.includes(field))) ?? equal.slice(0, 1)
}
