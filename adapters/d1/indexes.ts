import type { Predicate } from '../../ports/query.ts'
import type { Table } from './tables.ts'
import { columnOf, sideTableName } from './tables.ts'

/** Pairs of equality filters that have indexes of their own, by table: a nested collection's parent and a filter. */
const combinedFields: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  automation_runs: [
    ['automationId', 'status'],
    ['automationId', 'contactId'],
  ],
  form_submissions: [['formId', 'contactId']],
  vouchers: [
    ['groupId', 'status'],
    ['groupId', 'contactId'],
  ],
  memberships: [
    ['isCancellation', 'churnType'],
    ['isCancellation', 'siteCode'],
  ],
  survey_responses: [
    ['surveyId', 'siteId'],
    ['surveyId', 'category'],
  ],
}

/** The index that a page is read by. */
export interface PageIndex {
  readonly name: string
  /** The alias in the query of the table that it belongs to: the table's own `t`, or `m` of a side table. */
  readonly alias: 't' | 'm'
  /** What a list must contain, when the index belongs to that list's side table; null: it is the table's own. */
  readonly contained: Predicate | null
  /** The field that orders it. */
  readonly orderField: string
}

/**
 * The index that serves a page: named after the table, the columns it is narrowed by and the column that orders it
 * (see the migrations). With more equality filters than an index has, the first one narrows and the others are
 * tested row by row. What a list must contain is found in the list's side table, which carries the order too.
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const order = columnOf(table, orderField).name
  const contained = where.find(({ operator }) => operator === 'contains')
  if (contained !== undefined) {
    return {
      name: `${sideTableName(table, contained.field)}_value_${order}`,
      alias: 'm',
      contained,
      orderField,
    }
  }
  const equal = where.filter(({ operator, field }) => operator === 'equals' && field !== orderField)
  const narrowing = narrowingFields(
    table,
    equal.map(({ field }) => field),
  ).map((field) => columnOf(table, field).name)
  return { name: [table.name, ...narrowing, order].join('_'), alias: 't', contained: null, orderField }
}

function narrowingFields(table: Table, equal: readonly string[]): readonly string[] {
  const pairs = combinedFields[table.name] ?? []
  return pairs.find((pair) => pair.every((field) => equal.includes(field))) ?? equal.slice(0, 1)
}
