import type { Expression } from 'kysely'
import { sql } from 'kysely'
import { slot } from '../statement/compiler.ts'

/**
 * The SQL for whether a key works at the instant in the slot `now`: it is neither revoked nor expired.
 * @param table the name or alias of the table `api_keys`, or `operator_keys`, in the statement
 */
export function worksNow(table: string): Expression<unknown> {
  const expiresAt = sql.id(table, 'expires_at')
  return sql`${sql.id(table, 'revoked_at')} is null and (${expiresAt} is null or ${expiresAt} > ${slot('now')})`
}
