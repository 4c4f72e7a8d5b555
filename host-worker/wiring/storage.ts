import type { D1Database } from '@cloudflare/workers-types'
import type { D1Storage } from '../../adapters/d1/index.ts'
import { createD1Storage, createExecutor, isLockFailure } from '../../adapters/d1/index.ts'
import type { Mailbox } from '../../adapters/local/index.ts'
import { createMailbox } from '../../adapters/local/index.ts'
import { createFamilyDatabases, createObjectStorage } from '../../adapters/durable-object/index.ts'
import { ownMigrations } from '../../adapters/durable-object/own-migrations.ts'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { createMeter } from '../../adapters/sqlite/index.ts'
import type { Places } from '../../domain/placement/at-place.ts'
import { createPlaceMemory } from '../../domain/placement/place-memory.ts'
import type { PlacedStorage } from '../../domain/placement/placed-storage.ts'
import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Background } from '../../ports/background.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock, systemDeadline } from '../system.ts'

export { createMeter } from '../../adapters/sqlite/index.ts'
export type { Executor, SqliteStorage } from '../../adapters/sqlite/index.ts'

/** Whether work failed because another process holds the local database: nothing was written, so it may be done again. */
export const isStorageLocked: (error: unknown) => boolean = isLockFailure

/** For work of which nothing depends on whether it is done. */
const detached: Background = {
  run: (work) => {
    work.catch((cause: unknown) => {
      consoleLog.error('background_failed', {}, cause)
    })
  },
}

/** What the isolate has met of organizations with databases of their own. */
const placeMemory = createPlaceMemory()

/** Opens the service's storage. No I/O. Nothing else of the Worker knows which engine keeps the data. */
export function openStorage(
  env: Pick<Env, 'database' | 'families'>,
  meter: Meter = createMeter(),
  background: Background = detached,
): PlacedStorage {
  return createPlacedStorage(openPlaces(env, meter, background), consoleLog)
}

/** What finds the database of an organization. No I/O. */
export function openPlaces(
  { database, families }: Pick<Env, 'database' | 'families'>,
  meter: Meter = createMeter(),
  background: Background = detached,
): Places {
  const clock = systemClock
  let opened: D1Storage | null = null
  // Most requests of a family with a database of its own never come to the shared one.
  const shared = () => (opened ??= createD1Storage({ database, clock, meter }))
  return {
    get directory() {
      return shared().directory
    },
    memory: placeMemory,
    storageAt: (place) => {
      if (place.kind === 'shared') return shared()
      if (families === null)
        throw new Error('A family has a database of its own: the binding FAMILIES is missing')
      return createObjectStorage({ namespace: families, place, clock, meter, migrations: ownMigrations })
    },
    databases: families === null ? null : createFamilyDatabases({ namespace: families, clock, meter }),
    // The note is no part of the request, whose calls the meter counts.
    noteWork: (familyId, at) => {
      background.run(createD1Storage({ database, clock }).directory.noteWork(familyId, at))
    },
    clock,
    deadline: systemDeadline,
  }
}

/** Opens the database of the legacy vendor, which has tables of its own. No I/O. */
export function openPosLegacy(database: D1Database, meter?: Meter): Executor {
  return createExecutor({ database, clock: systemClock, ...(meter === undefined ? {} : { meter }) })
}

/** Opens the mailbox that takes the place of providers on a developer's machine. No I/O. */
export function openMailbox({ database }: Pick<Env, 'database'>): Mailbox {
  return createMailbox(database, systemClock)
}
