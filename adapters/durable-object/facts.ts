import type { ObjectDatabase } from './object-database.ts'
import type { State } from './states.ts'

/** What an object knows about itself, by name, each as JSON. Beside the family's tables, and no part of a move. */
const TABLE = 'object_facts'

/** How far an object has come. Names of migrations are in the order in which they are applied. */
export interface SchemaPosition {
  /** The last migration of which everything but the indexes is applied. */
  readonly tables: string
  /** The last migration whose indexes are all there. */
  readonly indexes: string
  /** How many statements about indexes of the migration after that one are applied too. */
  readonly indexesBeyond: number
}

/** The facts by name. */
export interface Facts {
  readonly state: State
  readonly schema: SchemaPosition
}

/** Makes the place for facts. Called in the transaction that gives an empty object its tables. */
export function createFacts(database: ObjectDatabase): void {
  database.script(`create table if not exists ${TABLE} (name text primary key, value text not null) strict`)
}

/** The facts of an object; null: it stores nothing. Does not make an object that stores nothing store something. */
export function readFacts(database: ObjectDatabase): Facts | null {
  const found = database.run(`select 1 from sqlite_master where type = 'table' and name = '${TABLE}'`)
  if (found.rows.length === 0) return null
  const facts = database.run(`select name, value from ${TABLE}`).rows
  const read = new Map(facts.map(([name, value]) => [name, JSON.parse(String(value)) as unknown]))
  const [state, schema] = [read.get('state'), read.get('schema')]
  // They are written together, in the transaction that makes the table.
  if (state === undefined || schema === undefined) throw new Error('An object does not know its state')
  return { state, schema } as Facts
}

/** Writes a fact over what was there. */
export function writeFact<Name extends keyof Facts>(
  database: ObjectDatabase,
  name: Name,
  value: Facts[Name],
): void {
  const sql = `insert into ${TABLE} (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`
  database.run(sql, [name, JSON.stringify(value)])
}
