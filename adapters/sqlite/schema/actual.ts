import type { IndexShape, Schema, TableShape, TriggerShape } from './shape.ts'

/** Runs a statement without parameters and returns its rows. */
export type Query = (sql: string) => readonly Readonly<Record<string, unknown>>[]

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
