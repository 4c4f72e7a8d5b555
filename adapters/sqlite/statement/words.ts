import { sql, type AliasedExpression, type Expression, type Selectable, type SqlBool } from 'kysely'
import type { Database } from '../database/database.ts'
import { slot } from './compiler.ts'

export { excluded } from '../../sql/words.ts'

type TableName = keyof Database

/** What a subquery selects that is only asked whether it has rows: `1 as "one"`. */
export const one = sql<number>`1`.as('one')

/** The condition that a row of any table is of the organization, for statements over tables by their names. */
export const ofOwner = sql<SqlBool>`organization_id = ${slot('organizationId')}`

/** The number that SQLite gives each row of a table. */
export const rowid = sql<number>`rowid`

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

/** Whether a text has the form of a pattern: `"name" glob ?1`. */
export function glob(text: Expression<string>, pattern: Expression<string>): Expression<SqlBool> {
  return sql`${text} glob ${pattern}`
}
