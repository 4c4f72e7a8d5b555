import { sql, type Expression, type SqlBool } from 'kysely'
import { db, template, type Template } from '../statement/compiler.ts'

/** A statement that fails when the condition holds, and with it the batch to which it belongs. */
export function failsWhen(condition: Expression<SqlBool>): Template {
  const broken = db.selectNoFrom(sql.lit('version').as('broken')).where(condition)
  return template(db.insertInto('move_guards').columns(['broken']).expression(broken))
}

/** Matches SQLite's message when such a statement has failed. */
export const CONDITION_HELD = /move_is_current/
