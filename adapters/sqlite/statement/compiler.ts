import {
  createQueryId,
  expressionBuilder,
  NOOP_QUERY_EXECUTOR,
  QueryCreator,
  sql,
  SqliteQueryCompiler,
  type Compilable,
  type Expression,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type OperationNodeSource,
  type RawBuilder,
  type RootOperationNode,
  type AliasedExpression,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'
import type { Database } from './database.ts'
import { slot, slotName, type Template } from '../../sql/statement.ts'
import { utf8Length } from '../../../domain/text/encoding.ts'
import { VALUE_MAX_BYTES } from './executor.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/platform.ts'

export type { Template } from '../../sql/statement.ts'
export { bind, slot } from '../../sql/statement.ts'

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

  compiled(query: OperationNodeSource): Compiled {
    this.#slots = []
    // A query builder declares the node of any expression; what is compiled here is a whole statement.
    const { sql: text } = this.compileQuery(query.toOperationNode() as RootOperationNode, createQueryId())
    return { sql: onOneLine(text), slots: this.#slots }
  }

  protected override appendValue(value: unknown): void {
    const name = slotName(value)
    if (!this.#slots.includes(name)) this.#slots.push(name)
    this.append(`?${this.#slots.indexOf(name) + 1}`)
  }
}

const compiler = new SlotCompiler()

/** A statement of the query builder, or of its tag `sql`, with the type of its rows. */
type Built<Row> = Expression<Row> | (OperationNodeSource & Compilable<Row>)

type Compiled = Omit<Template, 'rowType'>

/** A template that is built and compiled when its text is first asked for. */
class LateTemplate<Row> implements Template<Row> {
  declare readonly rowType?: Row
  #state: (() => Built<Row>) | Compiled

  constructor(build: () => Built<Row>) {
    this.#state = build
  }

  get sql(): string {
    return this.#compiled().sql
  }

  get slots(): readonly string[] {
    return this.#compiled().slots
  }

  #compiled(): Compiled {
    if (typeof this.#state === 'function') this.#state = compiler.compiled(this.#state())
    return this.#state
  }
}

/**
 * A statement that is compiled when it is first bound, because a request needs few of those that are loaded with it.
 * @param of the statement, or a function that builds it. Building costs as much as compiling, so that is left until then
 *   too in modules that many requests load
 */
export function template<Row>(of: Built<Row> | (() => Built<Row>)): Template<Row> {
  return new LateTemplate(typeof of === 'function' ? of : () => of)
}

export { excluded } from '../../sql/statement.ts'

type TableName = keyof Database

/** What a subquery selects that is only asked whether it has rows: `1 as "one"`. */
export const one = sql<number>`1`.as('one')

/** Whether a select has rows: `exists (select 1 as "one" from …)`. */
export function exists<Tables, Of extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Of, Row>,
): ExpressionWrapper<Database, never, SqlBool> {
  return eb.exists(rows.select(one))
}

/** The condition that a row of any table is of the organization, for statements over tables by their names. */
export const ofOwner = sql<SqlBool>`organization_id = ${slot('organizationId')}`

/** A table that is read by this index and by no other: `"outbox" as "o" indexed by "outbox_turns"`. */
export function indexedBy<Table extends TableName, Alias extends string>(
  table: Table,
  alias: Alias,
  index: string,
): AliasedExpression<Selectable<Database[Table]>, Alias> {
  return sql<Selectable<Database[Table]>>`${sql.table(table)}`.as<Alias>(
    sql`${sql.id(alias)} indexed by ${sql.id(index)}`,
  )
}

/** An item of a JSON array, or a member of an object. */
export interface JsonItem<Value> {
  readonly key: number | string
  readonly value: Value
}

/** The items of a JSON array as rows: `json_each(?1) as "item"`. */
export function jsonEach<Value, Alias extends string>(
  json: Expression<unknown>,
  alias: Alias,
): AliasedExpression<JsonItem<Value>, Alias> {
  return sql<JsonItem<Value>>`json_each(${json})`.as(alias)
}

/** The texts of a JSON array, for `in`: `(select "value" from json_each(?1))`. */
export function textsOf(json: Expression<unknown>): Expression<string> {
  return sql<string>`(select value from json_each(${json}))`
}

/** A statement that fails when the condition holds, and with it the batch to which it belongs. */
export function failsWhen(condition: Expression<SqlBool>): Template {
  const broken = db.selectNoFrom(sql.lit('version').as('broken')).where(condition)
  return template(db.insertInto('move_guards').columns(['broken']).expression(broken))
}

/** Matches SQLite's message when such a statement has failed. */
export const CONDITION_HELD = /move_is_current/

/**
 * The maximum size of one parameter with several values, in bytes of JSON. A single larger value is sent alone; the
 * database then decides whether to accept it.
 */
export const CHUNK_BYTES_MAX = VALUE_MAX_BYTES / 2 - 100_000

/** The text of a JSON array, and how many values it contains. */
interface JsonChunk {
  readonly text: string
  readonly count: number
}

/** Splits values, in order, into texts of JSON arrays that each fit into one parameter. */
export function jsonChunks(values: readonly unknown[]): readonly string[] {
  return countedJsonChunks(values, Infinity).map(({ text }) => text)
}

/** Like `jsonChunks`, with at most `countMax` values in each array. */
export function countedJsonChunks(values: readonly unknown[], countMax: number): readonly JsonChunk[] {
  const chunks: JsonChunk[] = []
  let texts: string[] = []
  let bytes = 0
  const end = () => {
    if (texts.length > 0) chunks.push({ text: `[${texts.join()}]`, count: texts.length })
    texts = []
    bytes = 0
  }
  for (const value of values) {
    const text = JSON.stringify(value)
    const size = utf8Length(text) + 1
    if (texts.length === countMax || (texts.length > 0 && bytes + size > CHUNK_BYTES_MAX)) end()
    texts.push(text)
    bytes += size
  }
  end()
  return chunks
}

/**
 * The caller's `now`, but at most two seconds after the database's own time, because clocks that are set correctly do
 * not differ by more. A caller's clock that is behind is accepted, because it does not delay anything.
 */
export const boundedNow = sql<string>`min(${slot('now')}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds'))`

/**
 * The instant of an organization's next write: now, or a millisecond after its last write when the clock stands still
 * or steps back. It is strictly later than everything written before, so no row can appear before a position
 * (updatedAt, id) that a client which syncs has already passed.
 * @param clockAt the column `clock_at` of the organization's row
 */
export function nextInstant(clockAt: Expression<string>): Expression<string> {
  return sql`max(${boundedNow}, ${shifted(clockAt, '+0.001 seconds')})`
}

/** An instant moved by a modifier of SQLite's `strftime`: `'+10 minutes'`. */
export function shifted(instant: Expression<string>, by: string): RawBuilder<string> {
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${instant}, ${sql.lit(by)})`
}

export const advance = () =>
  db.updateTable('organizations').set(({ ref }) => ({ clock_at: nextInstant(ref('clock_at')) }))

/** Moves an organization's clock to the next instant. First in a batch; the writes after it read `clock_at`. */
export const advanceClock = template(() => advance().where('organization_id', '=', slot('organizationId')))

/** The instant of the present write of an organization, whose clock was moved before: `updated_at` of what it changes. */
export const writtenAt = db
  .selectFrom('organizations')
  .select('clock_at')
  .where('organization_id', '=', slot('organizationId'))
  .$asScalar()

/** The current instant as text, in the form in which instants are stored. */
export function nowOf(clock: Clock): string {
  return toInstant(clock.nowMs())
}
