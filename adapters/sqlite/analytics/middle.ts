import { sql, type Expression } from 'kysely'

/** The values of the one or two rows in the middle; null: there is no value. */
export interface Middle {
  readonly lower: number | null
  readonly upper: number | null
}

/**
 * The columns `lower` and `upper`, the values in the middle of sorted ones.
 * @param value the value of a row, or of several rows that have the same
 * @param upto how many values there are up to the last one of this row
 * @param count how many values this row stands for
 * @param known how many values there are in all
 */
export function middleColumns({
  value,
  upto,
  count,
  known,
}: Readonly<Record<'value' | 'upto' | 'count' | 'known', Expression<unknown>>>): Expression<unknown> {
  const at = (place: Expression<unknown>) =>
    sql`max(iif(${upto} >= ${place} and ${upto} - ${count} < ${place}, ${value}, null)) * 1.0`
  return sql`${at(sql`(${known} + 1) / 2`)} as lower, ${at(sql`(${known} + 2) / 2`)} as upper`
}

/** The middle as a pair; null when there is no value. */
export function middlePair({ lower, upper }: Middle): readonly [number, number] | null {
  return lower === null || upper === null ? null : [lower, upper]
}
