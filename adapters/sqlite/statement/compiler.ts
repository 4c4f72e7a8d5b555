import { createQueryId, sql, SqliteQueryCompiler, type RawBuilder } from 'kysely'
import type { BoundValue, Statement } from './executor.ts'

/** Marks a place in compiled SQL whose value is known only when the statement is bound. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Compiles one template. Parameters are numbered, so that a slot which occurs in several places is bound once.
 *
 * Of Kysely only what makes SQL text is used. Its query builder would run statements by itself, past the batch and with
 * it past atomicity and the meter, and it is the larger part of the library in a bundle.
 */
class TemplateCompiler extends SqliteQueryCompiler {
  /** The name of each numbered parameter, in order. */
  readonly slots: string[] = []

  protected override appendValue(parameter: unknown): void {
    if (!(parameter instanceof Slot)) throw new Error(`A template holds a value: ${this.getSql()}`)
    const known = this.slots.indexOf(parameter.name) + 1
    this.append(`?${known === 0 ? this.slots.push(parameter.name) : known}`)
  }
}

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
  return sql`${new Slot(name)}`
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

/** Compiles SQL whose every parameter is a slot. Throws for a value: it would be frozen into a cached template. */
export function template<Row>(builder: RawBuilder<Row>): Template<Row> {
  const compiler = new TemplateCompiler()
  const { sql } = compiler.compileQuery(builder.toOperationNode(), createQueryId())
  return { sql: onOneLine(sql), slots: compiler.slots }
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
