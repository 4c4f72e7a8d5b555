import { sql, type Expression, type SqlBool } from 'kysely'
import type { InstantRange } from '../../../ports/analytics.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { slot } from '../statement/compiler.ts'

/** A text that sorts after every stored instant, day and month. */
export const BEHIND_ALL = '~'

/** The values of the slots that `within` uses. Instants are stored as texts, which sort in the order of their times. */
export function rangeValues({ start, end }: InstantRange): { readonly from: string; readonly until: string } {
  const behind = end === null ? BEHIND_ALL : toInstant(Date.parse(end) + 1)
  // A year of more than four digits, which no stored instant has, would sort before all of them.
  return { from: start ?? '', until: behind.startsWith('+') ? BEHIND_ALL : behind }
}

/** The condition that a stored instant lies within the range. A row without the instant lies within none. */
export function within(column: Expression<unknown>): Expression<SqlBool> {
  return sql`${column} >= ${slot('from')} and ${column} < ${slot('until')}`
}

/** Whether the range has a bound. Rows without a date belong only to a range that has none. */
export function isBounded({ start, end }: InstantRange): boolean {
  return start !== null || end !== null
}
