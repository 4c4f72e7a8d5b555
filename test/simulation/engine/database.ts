import { DatabaseSync } from 'node:sqlite'
import type { ObjectDatabase } from '../../../adapters/durable-object/object/batch.ts'
import { createExecutor, cachedStatements } from '../../../adapters/node-sqlite/index.ts'
import type { BoundValue, Executor } from '../../../adapters/sqlite/index.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { migratedImage } from '../../support/databases/migrated-image.ts'
import { followChanges, type ChangeFollower } from './changes.ts'

export type LookedAt = Readonly<Record<string, unknown>>

/**
 * What is stored, for checks, without going through ports. An organization's rows are only seen in the database in
 * which it lives.
 */
export interface Stored {
  look(sql: string, ...parameters: readonly BoundValue[]): readonly LookedAt[]
}

/** What is stored in one database. */
export interface StoredHere extends Stored {
  readonly name: string
  /** Like `look`, with all rows that are in the database, wherever their organizations live. */
  lookAtAll(sql: string, ...parameters: readonly BoundValue[]): readonly LookedAt[]
  /** Follows the rows of the database. Starts anew when the database is cleared. */
  changes(): ChangeFollower
}

/** A real database of the simulated world. It outlives every process, and its time is the simulation's. */
export interface SimulatedDatabase extends StoredHere, Executor {
  /** Runs several statements, for migrations. */
  script(sql: string): void
  close(): void
}

/** A database within an object of a family. */
export interface SimulatedObjectDatabase extends StoredHere, ObjectDatabase {
  close(): void
}

/** The options of a simulated database. */
export interface DatabaseOptions {
  readonly name: string
  readonly nowMs: () => number
  /** Whether an organization lives in this database. */
  readonly holds: (organizationId: string) => boolean
  /** An additional change of statements, to plant a mistake. */
  readonly rewrite?: ((sql: string) => string) | undefined
}

/** Opens an empty, migrated database. */
export function openSimulatedDatabase(options: DatabaseOptions): SimulatedDatabase {
  const database = openSqlite(options)
  database.deserialize(migratedImage())
  const changes = followChanges(database)
  const executor = createExecutor(database)
  const changed = inSimulatedTime(options)
  return {
    name: options.name,
    batch: (statements) =>
      executor.batch(statements.map((statement) => ({ ...statement, sql: changed(statement.sql) }))),
    script: (sql) => {
      database.exec(changed(sql))
    },
    ...lookingInto(() => database),
    changes: () => changes,
    close: () => {
      changes.close()
      database.close()
    },
  }
}

/** Opens the database of an object that stores nothing yet. */
export function openSimulatedObjectDatabase(options: DatabaseOptions): SimulatedObjectDatabase {
  let database = openSqlite(options)
  let changes = followChanges(database)
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
      // A cached statement would still return the former columns of its tables.
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
    name: options.name,
    sizeBytes: () => database.serialize().length,
    async clear() {
      changes.close()
      database.close()
      database = openSqlite(options)
      changes = followChanges(database)
      prepare = cachedStatements(database)
    },
    ...lookingInto(() => database),
    changes: () => changes,
    close: () => {
      changes.close()
      database.close()
    },
  }
}

function openSqlite({ nowMs, holds }: DatabaseOptions): DatabaseSync {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  database.function('simulated_now', () => toInstant(nowMs()))
  database.function('lives_here', (id) => Number(holds(String(id))))
  return database
}

/** The tables that checks read. */
const CHECKED = [
  ...['organizations', 'api_keys', 'forms', 'contacts', 'form_submissions', 'outbox', 'automation_runs'],
  'import_sessions',
]
const AT_HOME = `with ${CHECKED.map(
  (table) => `${table} as (select * from main.${table} where lives_here(organization_id))`,
).join()} `

/** Reads from a database. A database without tables has no rows. */
function lookingInto(database: () => DatabaseSync): Pick<StoredHere, 'look' | 'lookAtAll'> {
  const known = new WeakMap<DatabaseSync, ReturnType<typeof cachedStatements>>()
  const prepared = (sql: string) => {
    const prepare = known.get(database()) ?? cachedStatements(database())
    known.set(database(), prepare)
    return prepare(sql)
  }
  const lookAtAll = (sql: string, ...parameters: readonly BoundValue[]): readonly LookedAt[] => {
    try {
      return prepared(sql).all(...parameters)
    } catch (error) {
      if (prepared("select 1 from sqlite_master where name = 'organizations'").all().length > 0) throw error
      return []
    }
  }
  return { lookAtAll, look: (sql, ...parameters) => lookAtAll(AT_HOME + sql, ...parameters) }
}

/** Replaces SQLite's own clock by simulated time, in the text of statements. */
function inSimulatedTime({ rewrite }: DatabaseOptions): (sql: string) => string {
  const known = new Map<string, string>()
  return (sql) => {
    const made = known.get(sql) ?? (rewrite?.(sql) ?? sql).replaceAll("'now'", 'simulated_now()')
    known.set(sql, made)
    return made
  }
}

/** A short name for a batch: its first statement that writes, or else its first statement. */
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
