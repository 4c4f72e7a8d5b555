import { DatabaseSync } from 'node:sqlite'
import type { Meter } from '../../ports/platform.ts'
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
