import type { BoundValue, Statement } from './executor.ts'
import type { Sql } from './sql.ts'

/** A quoted name or text, or white space outside of it. */
const QUOTED_OR_SPACE = /'[^']*'|"[^"]*"|\s+/g

/** Removes line breaks and indentation from SQL, because its text is sent to the database with every request. */
function onOneLine(sql: string): string {
  return sql.replace(QUOTED_OR_SPACE, (part) => (part.trim() === '' ? ' ' : part)).trim()
}

/**
 * A placeholder that `bind` fills by its name. The same name may occur in several places. After LIMIT and OFFSET, write
 * `+${slot('limit')}`: SQLite looks at a bare parameter there when it plans, and would plan again for each value.
 */
export function slot(name: string): Sql {
  return { parts: [{ slot: name }] }
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
export function template<Row>({ parts }: Sql<Row>): Template<Row> {
  const slots = [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.slot])))]
  const text = parts.map((part) => (typeof part === 'string' ? part : `?${slots.indexOf(part.slot) + 1}`))
  return { sql: onOneLine(text.join('')), slots }
}

/**
 * Fills the slots of a template. Throws when a slot has no value: absent values are null, never `undefined`. Text is
 * made well-formed: a lone surrogate has no UTF-8 form, and SQLite would store bytes that no reader accepts.
 */
export function bind<Row>(of: Template<Row>, values: Readonly<Record<string, BoundValue>>): Statement<Row> {
  const parameters = of.slots.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for ${name}: ${of.sql}`)
    return typeof value === 'string' ? value.toWellFormed() : value
  })
  return { sql: of.sql, parameters }
}
