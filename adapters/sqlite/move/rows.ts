import { sql, type Expression } from 'kysely'
import type { MoveKey } from '../../../ports/placement/move.ts'
import type { BoundValue } from '../statement/executor.ts'

/** An SQL row value of these columns, or the column itself when there is only one. */
export function tuple(columns: readonly Expression<unknown>[]): Expression<unknown> {
  return columns.length === 1 ? sql.join(columns) : sql`(${sql.join(columns)})`
}

/** The values of a key for slots named `prefix0`, `prefix1` and so on. */
export function keyValues(prefix: string, key: MoveKey): Readonly<Record<string, BoundValue>> {
  return Object.fromEntries(key.map((value, index) => [`${prefix}${index}`, value]))
}
