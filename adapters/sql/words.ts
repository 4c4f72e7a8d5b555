import { sql, type Expression, type RawBuilder } from 'kysely'
import type { Predicate } from '../../ports/records.ts'

/** The SQL operator for each operator that compares a column with a value. A null column satisfies none of them. */
const COMPARISONS = { equals: '=', atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const

/** The sign of a comparison. Throws for `contains`, which asks about a list and is no comparison of two values. */
export function comparison(operator: Predicate['operator']): Expression<unknown> {
  if (operator === 'contains') throw new Error('A column is not compared by what a list contains')
  return sql.raw(COMPARISONS[operator])
}

/** What an upsert takes over of the row that was given: `"at" = "excluded"."at"` for each of these columns. */
export function excluded<const Column extends string>(
  columns: readonly Column[],
): Readonly<Record<Column, RawBuilder<never>>> {
  const taken = columns.map((column) => [column, sql<never>`${sql.id('excluded', column)}`])
  return Object.fromEntries(taken) as Record<Column, RawBuilder<never>>
}
