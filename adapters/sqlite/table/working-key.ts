import type { Expression, SqlBool } from 'kysely'
import { eb, slot } from '../statement/compiler.ts'

/**
 * The SQL for whether a key works at the instant in the slot `now`: it is neither revoked nor expired.
 * @param column refers to a column of the key in the statement
 */
export function worksNow(
  column: (name: 'revoked_at' | 'expires_at') => Expression<string | null>,
): Expression<SqlBool> {
  return eb.and([
    eb(column('revoked_at'), 'is', null),
    eb.or([eb(column('expires_at'), 'is', null), eb(column('expires_at'), '>', slot('now'))]),
  ])
}
