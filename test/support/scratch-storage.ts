import { DatabaseSync } from 'node:sqlite'
import type { NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import {
  createMeter,
  createStorage,
  openImage,
  openNodeSqlite,
  migrationsOf,
} from '../../adapters/node-sqlite/index.ts'
import type { Executor, SqliteStorage } from '../../adapters/sqlite/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import type { SeenOutboxEntry } from '../conformance/index.ts'

type MigratedAdapter = Parameters<typeof migrationsOf>[0]

const images = new Map<MigratedAdapter, Uint8Array>()

/** A database that holds nothing but its migrations. They are applied once for each test file; all others are copies. */
export function migratedImage(of: MigratedAdapter = 'sqlite'): Uint8Array {
  const known = images.get(of)
  if (known !== undefined) return known
  const database = openNodeSqlite({ path: ':memory:', migrations: migrationsOf(of) })
  const image = database.image()
  database.close()
  images.set(of, image)
  return image
}

/** The tables of a database, given as its image. */
export function tablesOf(image: Uint8Array): readonly string[] {
  const database = new DatabaseSync(':memory:')
  database.deserialize(image)
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  database.close()
  return tables.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
}

/** A storage in memory for one test, with what its ports do not show. */
export interface ScratchStorage extends SqliteStorage {
  readonly database: NodeSqlite
  readonly meter: Meter
  /** What waits in an organization's outbox, in the order in which it was written. */
  outboxOf(organizationId: string): Promise<readonly ScratchEntry[]>
}

export interface ScratchEntry extends SeenOutboxEntry {
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastError: string | null
}

export interface ScratchOptions {
  readonly clock: Clock
  /** The database of which this one is a copy. Default: one that holds nothing but its migrations. */
  readonly image?: Uint8Array
}

/** Opens a fresh storage, which is empty unless it is a copy of another. */
export function createScratchStorage({ clock, image = migratedImage() }: ScratchOptions): ScratchStorage {
  const meter = createMeter()
  const database = openImage(image, { meter })
  return {
    ...createStorage({ executor: database, clock }),
    database,
    meter,
    outboxOf: (organizationId) => readOutbox(database, organizationId),
  }
}

/** What waits in an organization's outbox, read past the ports, in the order in which it was written. */
export async function readOutbox(
  executor: Executor,
  organizationId: string,
): Promise<readonly ScratchEntry[]> {
  const sql = 'select * from outbox where organization_id = ? order by rowid'
  const [found] = await executor.batch([{ sql, parameters: [organizationId] }])
  return (found?.rows ?? []).map((row) => ({
    outboxId: String(row.outbox_id),
    submissionId: String(row.submission_id),
    kind: String(row.kind),
    payload: JSON.parse(String(row.payload)) as unknown,
    status: String(row.status),
    attempts: Number(row.attempts),
    nextAttemptAt: String(row.next_attempt_at),
    lastError: row.last_error as string | null,
  }))
}
