import type { BoundValue, Statement } from './executor.ts'
import type { RawBuilder } from './sql.ts'
import { sql } from './sql.ts'

/** A quoted name or text, or white space outside of it. */
const QUOTED_OR_SPACE = /'[^']*'|"[^"]*"|\s+/g

/** SQL with its line breaks and indents taken out: its text travels to the database with every request. */
function onOneLine(sql: string): string {
  return sql.replace(QUOTED_OR_SPACE, (part) => (part.trim() === '' ? ' ' : part)).trim()
}

/**
 * A place to be filled by `bind` under this name. The same name may occur in several places. After LIMIT and OFFSET it is
 * written `+${slot('limit')}`: SQLite looks at a bare parameter there while it plans, and would plan anew for each value.
 */
export function slot(name: string): RawBuilder<unknown> {
  return { parts: [{ slot: name }] }
}

/** A quoted identifier: a table, or a column behind its table's alias. */
export function name(...path: readonly string[]): RawBuilder<unknown> {
  return sql.id(...path)
}

/** SQL compiled once and bound many times. */
export interface Template<Row = unknown> {
  readonly sql: string
  /** The slot of each numbered parameter, in order. */
  readonly slots: readonly string[]
  /** Never set: it carries the type of the rows that the SQL was declared to give, as `sql<Row>` does. */
  readonly rowType?: Row
}

/**
 * Compiles SQL. Slots become numbered parameters, so that a slot which occurs in several places is bound once.
 */
export function template<Row>({ parts }: RawBuilder<Row>): Template<Row> {
  const slots = [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.slot])))]
  const text = parts.map((part) => (typeof part === 'string' ? part : `?${slots.indexOf(part.slot) + 1}`))
  return { sql: onOneLine(text.join('')), slots }
}

/**
 * A template with its slots filled. Throws when a slot has no value: absent values are null, never `undefined`. Text
 * is made well-formed: a lone surrogate has no UTF-8 form, and SQLite would store bytes that no reader accepts.
 */
export function bind<Row>(of: Template<Row>, values: Readonly<Record<string, BoundValue>>): Statement<Row> {
  const parameters = of.slots.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for ${name}: ${of.sql}`)
    return typeof value === 'string' ? value.toWellFormed() : value
  })
  return { sql: of.sql, parameters }
}
