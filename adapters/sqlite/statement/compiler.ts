import type {
  Compilable,
  Expression,
  ExpressionBuilder,
  OperationNodeSource,
  RawBuilder,
  RootOperationNode,
} from 'kysely'
import {
  createQueryId,
  expressionBuilder,
  NOOP_QUERY_EXECUTOR,
  QueryCreator,
  sql,
  SqliteQueryCompiler,
} from 'kysely'
import type { Database } from '../database/database.ts'
import type { BoundValue, Statement } from './executor.ts'

/** A quoted name or text, or white space outside of it. */
const QUOTED_OR_SPACE = /'[^']*'|"[^"]*"|\s+/g

/** Removes line breaks and indentation from SQL, because its text is sent to the database with every request. */
function onOneLine(text: string): string {
  return text.replace(QUOTED_OR_SPACE, (part) => (part.trim() === '' ? ' ' : part)).trim()
}

/**
 * Kysely's query builder over the tables of this service. It builds statements for `template` and runs nothing. It is the
 * part of `Kysely` that builds: the rest of that class (schemas, transactions, drivers) would be another 7 kB that every
 * request loads first.
 */
export const db = new QueryCreator<Database>({ executor: NOOP_QUERY_EXECUTOR })

/** Conditions that stand alone: each of their subqueries names its own tables. */
export const eb: ExpressionBuilder<Database, never> = expressionBuilder<Database>()

/** The name of a value that is known only when a statement is bound, at the place of the value. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A placeholder that `bind` fills by its name. The same name may occur in several places. After LIMIT and OFFSET, write
 * `atMost`.
 * @typeParam Value the type of the value where it is selected; anywhere else, a slot fits every column
 */
export function slot<Value = never>(name: string): RawBuilder<Value> {
  return sql<Value>`${new Slot(name)}`
}

/**
 * A placeholder after LIMIT: `+?1`. SQLite looks at a bare parameter there when it plans, and would plan again for each
 * value.
 */
export function atMost(name: string): RawBuilder<number> {
  return sql<number>`+${slot(name)}`
}

/** Compiles slots to numbered parameters, so that a slot which occurs in several places is bound once. */
class SlotCompiler extends SqliteQueryCompiler {
  #slots: string[] = []

  compiled(query: OperationNodeSource): Omit<Template, 'rowType'> {
    this.#slots = []
    // A query builder declares the node of any expression; what is compiled here is a whole statement.
    const { sql: text } = this.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId())
    return { sql: onOneLine(text), slots: this.#slots }
  }

  protected override appendValue(value: unknown): void {
    // A template is compiled once and bound many times. A value in it would be the first caller's, for all of them.
    if (!(value instanceof Slot))
      throw new TypeError(
        'A value would be frozen into the template. Write a slot, or sql.lit for a constant',
      )
    if (!this.#slots.includes(value.name)) this.#slots.push(value.name)
    this.append(`?${this.#slots.indexOf(value.name) + 1}`)
  }
}

/** SQL compiled once and bound many times. */
export interface Template<Row = unknown> {
  readonly sql: string
  /** The slot of each numbered parameter, in order. */
  readonly slots: readonly string[]
  /** Never set: it carries the type of the rows that the SQL was declared to give, as `sql<Row>` does. */
  readonly rowType?: Row
}

const compiler = new SlotCompiler()

/** Compiles a statement of the query builder, or of its tag `sql`, with the type of its rows. */
export function template<Row>(
  query: Expression<Row> | (OperationNodeSource & Compilable<Row>),
): Template<Row> {
  return compiler.compiled(query)
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
