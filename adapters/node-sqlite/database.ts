import { DatabaseSync } from 'node:sqlite'
import type { Meter } from '../../ports/meter.ts'
import type { Executor } from '../sqlite/index.ts'
import { createExecutor } from './executor.ts'
import { migrate, migrationsOf } from './migrate.ts'

/** How long a batch waits for another process that holds the file's lock. */
const BUSY_TIMEOUT_MS = 5000

const IN_MEMORY = ':memory:'

export interface NodeSqliteOptions {
  /** A file, which is made when there is none; or `:memory:` for a database that lasts as long as it is open. */
  readonly path: string
  /**
   * The folder of migrations to apply. Default: the migrations of the service's own database. A process reads a folder once
   * for all its databases in memory.
   */
  readonly migrations?: URL
  /** How long a batch waits for another process that writes to the same file. Default: five seconds. */
  readonly busyTimeoutMs?: number
  /** Counts batches. Optional. */
  readonly meter?: Meter
}

/** One open database on `node:sqlite`. */
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
    // Readers of a file go on reading while somebody writes to it. A database in memory has no such journal.
    database.exec('pragma journal_mode = wal')
    if (path === IN_MEMORY) migrateInMemory(database, migrations)
    else migrate(database, migrations)
  } catch (error) {
    database.close()
    throw error
  }
  return opened(database, meter)
}

/** Databases in memory with nothing but the migrations of a folder. Copying one takes a hundredth of making another. */
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
 * SQLite reads a database in memory only when its header does not ask for a write-ahead log, which a file does. The 19th
 * and the 20th byte of the header ask for it with 2, and for none with 1.
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
