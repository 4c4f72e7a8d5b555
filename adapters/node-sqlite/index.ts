import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Meter, Clock } from '../../ports/platform.ts'
import {
  countRows,
  createMeter,
  readsAlone,
  type Executor,
  type BoundValue,
  type Statement,
  type StatementResult,
  createStorage,
  type SqliteStorage,
} from '../sqlite/index.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

export type { Executor, SqliteStorage, Statement, StatementResult } from '../sqlite/index.ts'
export { createMeter, createStorage } from '../sqlite/index.ts'

export interface NodeSqliteStorageOptions extends NodeSqliteOptions {
  readonly clock: Clock
}

/** Every storage port over one database on `node:sqlite`. */
export interface NodeSqliteStorage extends SqliteStorage {
  /** Closes the database. Calls of the storage after that reject. */
  close(): void
}

/** Opens a database, applies the migrations that it lacks, and gives every storage port over it. */
export function createNodeSqliteStorage({ clock, ...options }: NodeSqliteStorageOptions): NodeSqliteStorage {
  const database = openNodeSqlite(options)
  return {
    ...createStorage({ executor: database, clock }),
    close: () => {
      database.close()
    },
  }
}

/** How a storage on `node:sqlite` differs from one on a hosted database. */
export interface NodeSqliteCapabilities {
  /**
   * Whether results and meters say how many rows a statement read and wrote. `node:sqlite` cannot count them: a result
   * says null, and a meter counts calls alone.
   */
  readonly countsRows: boolean
  /**
   * Whether a batch leaves the thread free while it runs. `node:sqlite` is synchronous: a batch blocks the process for
   * as long as it takes, which includes waiting for another process that writes to the same file.
   */
  readonly runsInBackground: boolean
  /** The largest whole number that can be read; a statement that yields a larger one fails. */
  readonly integerMax: number
}

export const nodeSqliteCapabilities: NodeSqliteCapabilities = {
  countsRows: false,
  runsInBackground: false,
  integerMax: Number.MAX_SAFE_INTEGER,
}

export interface NodeSqliteOptions {
  /** A file, which is made when there is none; or `:memory:` for a database that lasts as long as it is open. */
  readonly path: string
  /**
   * The folder of migrations to apply. Default: the migrations of the service's own database. A process reads a folder
   * once for all its databases in memory.
   */
  readonly migrations?: URL
  /** How long a batch waits for another process that writes to the same file. Default: five seconds. */
  readonly busyTimeoutMs?: number
  /** Counts batches. Optional. */
  readonly meter?: Meter
}

/** An open database on `node:sqlite`. */
export interface NodeSqlite extends Executor {
  /** A copy of the whole database as it is now, for `openImage`. */
  image(): Uint8Array
  /** Closes it. Batches after that reject. */
  close(): void
}

/** Opens a database and applies the migrations that it lacks. Throws when it cannot be opened or migrated. */
export function openNodeSqlite({
  path,
  migrations = migrationsOf('sqlite'),
  busyTimeoutMs = BUSY_TIMEOUT_MS,
  meter,
}: NodeSqliteOptions): NodeSqlite {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  try {
    // With a write-ahead log, readers can read while another process writes. A database in memory cannot have one.
    database.exec('pragma journal_mode = wal')
    if (path === IN_MEMORY) migrateInMemory(database, migrations)
    else migrate(database, migrations)
  } catch (error) {
    database.close()
    throw error
  }
  return opened(database, meter)
}

/** How long a batch waits for another process that holds the file's lock. */
const BUSY_TIMEOUT_MS = 5000

const IN_MEMORY = ':memory:'

/**
 * Images of databases in memory that have nothing but the migrations of a folder. Copying an image takes a hundredth of
 * the time of applying the migrations.
 */
const images = new Map<string, Uint8Array>()

function migrateInMemory(database: DatabaseSync, migrations: URL): void {
  const image = images.get(migrations.href)
  if (image !== undefined) {
    database.deserialize(image)
    return
  }
  migrate(database, migrations)
  images.set(migrations.href, withoutLog(database.serialize()))
}

/** Opens a copy of a database in memory: with a migrated image, each copy is ready to be used at once. */
export function openImage(image: Uint8Array, { meter }: Pick<NodeSqliteOptions, 'meter'> = {}): NodeSqlite {
  const database = new DatabaseSync(IN_MEMORY, { enableForeignKeyConstraints: true })
  database.deserialize(image)
  return opened(database, meter)
}

/**
 * Removes the request for a write-ahead log from the header of an image: SQLite cannot open a database in memory whose
 * header asks for one, as that of a file does. The 19th and the 20th byte of the header are 2 with such a log, and 1
 * without.
 */
function withoutLog(image: Uint8Array): Uint8Array {
  image.fill(1, 18, 20)
  return image
}

function opened(database: DatabaseSync, meter: Meter | undefined): NodeSqlite {
  return {
    ...createExecutor(database, meter),
    image: () => withoutLog(database.serialize()),
    close: () => {
      database.close()
    },
  }
}

/**
 * Runs statements on one open database. A batch runs from beginning to end before anything else in this process can
 * run, so the batches of concurrent callers never interleave.
 */
export function createExecutor(database: DatabaseSync, meter: Meter = createMeter()): Executor {
  const prepare = cachedStatements(database)
  const totalChanges = () => Number(prepare('select total_changes() as changes').get()?.changes)

  const runAll = (statements: readonly Statement[], onlyReads: boolean): readonly StatementResult[] => {
    const changesSoFar = onlyReads ? () => 0 : totalChanges
    let before = changesSoFar()
    return statements.map(({ sql, parameters }) => {
      const rows = prepare(sql).all(...parameters.map(checked))
      const after = changesSoFar()
      const changes = after - before
      before = after
      // node:sqlite gives rows without a prototype; callers compare them with plain objects. Copying each row would take
      // longer than reading it.
      for (const row of rows) Object.setPrototypeOf(row, Object.prototype)
      return { rows, changes, rowsRead: null, rowsWritten: null }
    })
  }

  return {
    async batch(statements) {
      meter.calls += 1
      const onlyReads = readsAlone(statements)
      const work = () => runAll(statements, onlyReads)
      // A single SELECT sees one state of the database by itself.
      const isAtomic = onlyReads && statements.length === 1
      const results = isAtomic ? work() : inTransaction(database, onlyReads, work)
      countRows(meter, results)
      return results
    },
  }
}

/**
 * Runs work in a transaction. A write takes the lock at the beginning, so that it cannot fail halfway because another
 * process holds it.
 */
function inTransaction<Result>(database: DatabaseSync, onlyReads: boolean, work: () => Result): Result {
  database.exec(onlyReads ? 'begin' : 'begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // Some failures have ended the transaction already.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

/** Refuses truth values and bigints: node:sqlite would store them, but hosted databases refuse or change them. */
function checked(value: BoundValue): BoundValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A parameter is a string, a number or null, not ${typeof value}`)
}

/** The maximum number of prepared statements kept for one database: more than a service uses regularly. */
const STATEMENTS_MAX = 500

/** Prepares statements and keeps the ones used last, so that the same SQL is not parsed for each batch. */
export function cachedStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>()
  return (sql) => {
    const statement = kept.get(sql) ?? database.prepare(sql)
    // A map lists its entries in the order in which they were set, so the first one was used the longest ago.
    kept.delete(sql)
    kept.set(sql, statement)
    if (kept.size > STATEMENTS_MAX) {
      const [oldest = ''] = kept.keys()
      kept.delete(oldest)
    }
    return statement
  }
}

/**
 * The folder `adapters`, relative to this file: in the sources, and in the package, where this file is in the build.
 */
const ADAPTERS = ['../', '../../../adapters/'].map((path) => new URL(path, import.meta.url))

/** The folder of an adapter's migrations. Throws when this package has none of that adapter. */
export function migrationsOf(adapter: 'sqlite' | 'pos-legacy-vendor'): URL {
  const folders = ADAPTERS.map((adapters) => new URL(`${adapter}/migrations/`, adapters))
  const found = folders.find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`There are no migrations of ${adapter}`)
  return found
}

const CREATE_RECORD = `create table if not exists applied_migrations (
  name text primary key, applied_at text not null default current_timestamp) strict`

/**
 * Applies the migrations that a database lacks: the `NNNN_name.sql` files of a folder, and of a folder `retired` in it,
 * in order of their names. They run in one transaction, so two processes that open the same file do not apply one twice, and a migration that fails
 * leaves the database unchanged. The table `applied_migrations` keeps the names.
 * @returns the names of the migrations that this call applied
 */
export function migrate(database: DatabaseSync, folder: URL = migrationsOf('sqlite')): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => ({ name: basename(path), path }))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
  return inTransaction(database, false, () => {
    database.exec(CREATE_RECORD)
    const applied = database.prepare('select name from applied_migrations').all()
    const known = new Set(applied.map(({ name }) => name))
    const missing = files.filter(({ name }) => !known.has(name))
    for (const { name, path } of missing) {
      database.exec(readFileSync(new URL(path, folder), 'utf8'))
      database.prepare('insert into applied_migrations (name) values (?)').run(name)
    }
    return missing.map(({ name }) => name)
  })
}
