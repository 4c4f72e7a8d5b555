import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The column with which every table of tenant data begins. */
export const OWNER = 'organization_id'

/** A column of a table. */
export interface ColumnShape {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  /** An SQL literal; null: there is none. */
  readonly byDefault: string | null
}

export interface TableShape {
  readonly name: string
  readonly columns: readonly ColumnShape[]
  /** The columns of the primary key, in order. */
  readonly key: readonly string[]
  /** Whether the table is `WITHOUT ROWID`, so that rows are stored in the order of the key. */
  readonly withoutRowid: boolean
  /** Whether the table is `STRICT`, so that a column accepts only values of its type. */
  readonly strict: boolean
}

export interface IndexShape {
  readonly name: string
  readonly table: string
  /** In order; a column that is indexed downwards ends in ` DESC`. */
  readonly columns: readonly string[]
  readonly unique: boolean
  /** The condition of the rows that are in the index, in SQL; null: all are. */
  readonly where: string | null
}

export interface TriggerShape {
  readonly name: string
  readonly sql: string
}

/** The schema that a database has, or should have. */
export interface Schema {
  readonly tables: readonly TableShape[]
  readonly indexes: readonly IndexShape[]
  readonly triggers: readonly TriggerShape[]
}

/** Runs a statement without parameters and returns its rows. */
type Query = (sql: string) => readonly Readonly<Record<string, unknown>>[]

/** The schema that a database has. */
export function actualSchema(query: Query): Schema {
  const named = (type: string) =>
    query(`SELECT name FROM sqlite_master WHERE type = '${type}' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
  const tables = named('table').map(({ name }) => shapeOf(String(name), query))
  return {
    tables,
    indexes: tables.flatMap(({ name }) => indexesOf(name, query)),
    triggers: query(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`).map(
      ({ name, sql }): TriggerShape => ({ name: String(name), sql: String(sql) }),
    ),
  }
}

function shapeOf(name: string, query: Query): TableShape {
  const [description] = query(`PRAGMA table_list(${name})`)
  const columns = query(`PRAGMA table_info(${name})`)
  const inKey = columns.filter(({ pk }) => pk !== 0)
  return {
    name,
    columns: columns.map((column) => ({
      name: String(column.name),
      type: String(column.type),
      notNull: column.notnull === 1,
      byDefault: typeof column.dflt_value === 'string' ? column.dflt_value : null,
    })),
    key: inKey
      .toSorted((left, right) => Number(left.pk) - Number(right.pk))
      .map((column) => String(column.name)),
    withoutRowid: description?.wr === 1,
    strict: description?.strict === 1,
  }
}

/** The indexes of a table, except that of the primary key, which is part of the table. */
function indexesOf(table: string, query: Query): readonly IndexShape[] {
  return query(`PRAGMA index_list(${table})`)
    .filter(({ origin }) => origin === 'c')
    .map(({ name, unique, partial }) => ({
      name: String(name),
      table,
      columns: query(`PRAGMA index_xinfo(${String(name)})`)
        .filter(({ key }) => key === 1)
        .map((column) => `${String(column.name)}${column.desc === 1 ? ' DESC' : ''}`),
      unique: unique === 1,
      where: partial === 1 ? conditionOf(String(name), query) : null,
    }))
}

/** The condition of a partial index. SQLite gives it only in the text of the index. */
function conditionOf(index: string, query: Query): string | null {
  const [created] = query(`SELECT sql FROM sqlite_master WHERE type = 'index' AND name = '${index}'`)
  const found = /\)\s+WHERE\s+(.*)$/is.exec(String(created?.sql))
  return found?.[1]?.replaceAll(/\s+/g, ' ') ?? null
}

const MIGRATIONS = new URL('../migrations/', import.meta.url)

/**
 * The migration files, in the order of their names.
 * @param retired whether those of `retired/` are among them, which a deployment applies last
 */
export function migrations(retired = true): readonly { readonly name: string; readonly sql: string }[] {
  return readdirSync(MIGRATIONS, { recursive: retired, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => ({ name: basename(path), sql: readFileSync(new URL(path, MIGRATIONS), 'utf8') }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

let image: Uint8Array | null = null

/**
 * A database in memory to which the migration files were applied. They are applied once in a process; each call copies
 * the result.
 */
export function migratedDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.deserialize((image ??= migratedImage()))
  return database
}

function migratedImage(): Uint8Array {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of migrations()) database.exec(sql)
  return database.serialize()
}
