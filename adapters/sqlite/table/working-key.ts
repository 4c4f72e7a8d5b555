import { sql } from '../statement/sql.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { name, slot } from '../statement/compiler.ts'

/**
 * Whether a key still works at the instant of the slot `now`: it was not revoked, and its end has not come.
 * @param table what the statement calls the table `api_keys`, or `operator_keys`
 */
export function worksNow(table: string): RawBuilder<unknown> {
  const expiresAt = name(table, 'expires_at')
  return sql`${name(table, 'revoked_at')} is null and (${expiresAt} is null or ${expiresAt} > ${slot('now')})`
}
