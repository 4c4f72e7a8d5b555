import {
  createMeter,
  createStorage,
  openImage,
  type NodeSqlite,
} from '../../../adapters/node-sqlite/index.ts'
import { createPlaceDirectory, type Executor } from '../../../adapters/sqlite/index.ts'
import { createPlaceMemory, type AllPlaces } from '../../../domain/placement/find/at-place.ts'
import { ElsewhereError } from '../../../domain/placement/find/errors.ts'
import { createPlacedStorage, type PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { lineLog, systemDeadline } from '../../../host-worker/system.ts'
import type { OwnPlace, PlaceChoice } from '../../../ports/placement.ts'
import type { Clock, Meter } from '../../../ports/platform.ts'
import type { Storage } from '../../../ports/storage.ts'
import type { SeenOutboxEntry } from '../../../adapters/conformance/index.ts'
import { lendDatabase } from '../databases/lent-database.ts'

/** A storage in memory for one test, with what its ports do not show. */
export interface ScratchStorage extends PlacedStorage {
  /** The shared database. */
  readonly database: NodeSqlite
  readonly meter: Meter
  /** The place that the test service chooses for organizations without a parent. */
  readonly choice: PlaceChoice
  /** The entries in an organization's outbox, in the order of their time. */
  outboxOf(organizationId: string): Promise<readonly ScratchEntry[]>
  /** The database in which an organization lives. */
  databaseOf(organizationId: string): Promise<NodeSqlite>
}

export interface ScratchEntry extends SeenOutboxEntry {
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastError: string | null
}

/** With `TEST_PLACE=own`, every family of a test service has a database of its own. */
const usualChoice: PlaceChoice =
  process.env.TEST_PLACE === 'own' ? { kind: 'own', region: null, jurisdiction: null } : { kind: 'shared' }

export interface ScratchOptions {
  readonly clock: Clock
  readonly choice?: PlaceChoice
  /** The image of which the shared database is a copy. Default: a database with nothing but its migrations. */
  readonly image?: Uint8Array
  /** Provides families' own databases. Default: plain databases, which `databaseOf` returns. */
  readonly own?: Pick<AllPlaces, 'databases'> & {
    readonly storageAt: (place: OwnPlace, isConfirmed: boolean, meter: Meter) => Storage
  }
}

/** Opens a fresh storage, in which families may have databases of their own. It is empty unless it is a copy. */
export function createScratchStorage({
  clock,
  choice = usualChoice,
  image,
  own,
}: ScratchOptions): ScratchStorage {
  const meter = createMeter()
  const database = image === undefined ? lendDatabase(meter) : openImage(image, { meter })
  const families = new Map<string, NodeSqlite>()
  const nameOf = ({ familyId, generation }: OwnPlace) => `${familyId}.${generation}`
  const executorOf = (place: OwnPlace): Executor => ({
    batch: async (statements) => {
      const family = families.get(nameOf(place))
      if (family === undefined) throw new ElsewhereError()
      return family.batch(statements)
    },
  })
  const directory = createPlaceDirectory(database, clock)
  const places: AllPlaces = {
    directory,
    memory: createPlaceMemory(),
    storageAt: (place, isConfirmed) =>
      place.kind === 'shared'
        ? createStorage({ executor: database, clock, isShared: true })
        : (own?.storageAt(place, isConfirmed, meter) ??
          createStorage({ executor: executorOf(place), clock })),
    databases: own?.databases ?? {
      knows: () => true,
      async create(place) {
        const name = nameOf(place)
        if (!families.has(name)) families.set(name, lendDatabase(meter))
      },
      remove: async (place) => void families.delete(nameOf(place)),
      sizeBytes: async (place) => families.get(nameOf(place))?.image().length ?? 0,
    },
    noteWork: (familyId, at) => void directory.noteWork(familyId, at),
    clock,
    deadline: systemDeadline,
  }
  const databaseOf = async (organizationId: string) => {
    const place = await directory.placeOf(organizationId)
    return (place === null ? undefined : families.get(nameOf(place))) ?? database
  }
  return {
    ...createPlacedStorage(
      places,
      lineLog(() => undefined),
    ),
    database,
    meter,
    choice,
    outboxOf: async (organizationId) => readOutbox(await databaseOf(organizationId), organizationId),
    databaseOf,
  }
}

/** The entries in an organization's outbox, read without the ports, in the order of their time. */
export async function readOutbox(
  executor: Executor,
  organizationId: string,
): Promise<readonly ScratchEntry[]> {
  const sql = 'select * from outbox where organization_id = ? order by created_at, outbox_id'
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
