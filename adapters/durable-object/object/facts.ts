import type { ObjectDatabase } from './object-database.ts'
import type { State } from './states.ts'

/** The table of what an object knows about itself: a name and a JSON value in each row. A move does not copy it. */
const TABLE = 'object_facts'

/** How far the schema of an object has come. The names of migrations sort in the order in which they are applied. */
export interface SchemaPosition {
  /** The last migration of which everything but the indexes is applied. */
  readonly tables: string
  /** The last migration whose indexes are all there. */
  readonly indexes: string
  /** How many index statements of the migration after `indexes` are applied too. */
  readonly indexesBeyond: number
}

/** The facts of an object, by name. */
export interface Facts {
  readonly state: State
  readonly schema: SchemaPosition
}

/** Creates the table of facts. Called in the transaction that gives an empty object its tables. */
export function createFacts(database: ObjectDatabase): void {
  database.script(`create table if not exists ${TABLE} (name text primary key, value text not null) strict`)
}

/** Reads the facts of an object; null: it stores nothing. Writes nothing, so an empty object stays empty. */
export function readFacts(database: ObjectDatabase): Facts | null {
  const found = database.run(`select 1 from sqlite_master where type = 'table' and name = '${TABLE}'`)
  if (found.rows.length === 0) return null
  const facts = database.run(`select name, value from ${TABLE}`).rows
  const read = new Map(facts.map(([name, value]) => [name, JSON.parse(String(value)) as unknown]))
  const [state, schema] = [read.get('state'), read.get('schema')]
  // Both facts are written in the transaction that creates the table, so neither can be missing.
  if (state === undefined || schema === undefined) throw new Error('An object does not know its state')
  return { state, schema } as Facts
}

/** Writes a fact, replacing its earlier value. */
export function writeFact<Name extends keyof Facts>(
  database: ObjectDatabase,
  name: Name,
  value: Facts[Name],
): void {
  const sql = `insert into ${TABLE} (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`
  database.run(sql, [name, JSON.stringify(value)])
}
