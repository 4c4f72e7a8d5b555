import { DatabaseSync } from 'node:sqlite'
import type { ObjectDatabase } from '../../../adapters/durable-object/object-database.ts'
import { createExecutor } from '../../../adapters/node-sqlite/executor.ts'
import { cachedStatements } from '../../../adapters/node-sqlite/statement-cache.ts'
import type { BoundValue, Executor } from '../../../adapters/sqlite/index.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { migratedImage } from '../../support/migrated-image.ts'

/** What is stored, for checks: they look past all ports. */
export interface Stored {
  look(sql: string, ...parameters: readonly BoundValue[]): readonly Readonly<Record<string, unknown>>[]
}

/** A real database of the simulated world. It outlives every process, and its time is the simulation's. */
export interface SimulatedDatabase extends Stored, Executor {
  readonly name: string
  close(): void
}

/** A database within an object of a family. */
export interface SimulatedObjectDatabase extends Stored, ObjectDatabase {
  close(): void
}

/** How databases of a simulation are opened. */
export interface DatabaseOptions {
  readonly name: string
  readonly nowMs: () => number
  /** What else is changed in statements, to plant a fault. */
  readonly rewrite?: ((sql: string) => string) | undefined
}

/** Opens an empty, migrated database. */
export function openSimulatedDatabase(options: DatabaseOptions): SimulatedDatabase {
  const database = openSqlite(options)
  database.deserialize(migratedImage())
  const executor = createExecutor(database)
  const prepare = cachedStatements(database)
  const changed = inSimulatedTime(options)
  return {
    name: options.name,
    batch: (statements) =>
      executor.batch(statements.map((statement) => ({ ...statement, sql: changed(statement.sql) }))),
    look: (sql, ...parameters) => prepare(sql).all(...parameters),
    close: () => {
      database.close()
    },
  }
}

/** Opens the database of an object that stores nothing yet. */
export function openSimulatedObjectDatabase(options: DatabaseOptions): SimulatedObjectDatabase {
  let database = openSqlite(options)
  let prepare = cachedStatements(database)
  const changed = inSimulatedTime(options)
  return {
    run(sql, parameters = []) {
      const statement = prepare(changed(sql))
      const columns = statement.columns().map(({ name }) => name)
      statement.setReturnArrays(true)
      const rows = statement.all(...parameters) as unknown as unknown[][]
      return { columns, rows, rowsRead: rows.length, rowsWritten: 0 }
    },
    script: (sql) => {
      database.exec(sql)
      // A kept statement would still name the columns that its tables had before.
      prepare = cachedStatements(database)
    },
    transaction(work) {
      database.exec('begin immediate')
      try {
        const result = work()
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    sizeBytes: () => database.serialize().length,
    async clear() {
      database.close()
      database = openSqlite(options)
      prepare = cachedStatements(database)
    },
    look: (sql, ...parameters) => database.prepare(sql).all(...parameters),
    close: () => {
      database.close()
    },
  }
}

function openSqlite({ nowMs }: DatabaseOptions): DatabaseSync {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  database.function('simulated_now', () => toInstant(nowMs()))
  return database
}

/** SQLite's own clock is replaced by simulated time, in the text of the statements. */
function inSimulatedTime({ rewrite }: DatabaseOptions): (sql: string) => string {
  const known = new Map<string, string>()
  return (sql) => {
    const made = known.get(sql) ?? (rewrite?.(sql) ?? sql).replaceAll("'now'", 'simulated_now()')
    known.set(sql, made)
    return made
  }
}

/** What a batch does, in a few words: the first statement that writes, or else the first. */
export function nameOfBatch(statements: readonly { readonly sql: string }[]): string {
  const texts = statements
    .map(({ sql }) => sql.replaceAll(/\s+/g, ' ').trim())
    .filter((sql) => !sql.startsWith('insert into refused_writes') && !sql.startsWith('select json_object('))
  const main = texts.find((sql) => !sql.startsWith('select') && !sql.startsWith('with')) ?? texts[0] ?? ''
  const [, verb = '', table = ''] =
    /^(insert into|update|delete from|replace into) "?(\w+)/.exec(main) ??
    /^(select|with) .*?from "?(\w+)/.exec(main) ??
    []
  const more = texts.length > 1 ? ` and ${texts.length - 1} more` : ''
  return `${verb} ${table}${more}`
}
