import type { D1Database } from '@cloudflare/workers-types'
import { createExecutor } from '../../adapters/d1/executor.ts'
import { createD1RequestStorage } from '../../adapters/d1/request-storage.ts'
import type { ObjectExecutorOptions } from '../../adapters/durable-object/client/executor.ts'
import { createObjectRequestStorage } from '../../adapters/durable-object/client/request-storage.ts'
import { ownMigrations } from '../../adapters/durable-object/object/own-migrations.ts'
import type { Mailbox } from '../../adapters/local/index.ts'
import { createMailbox } from '../../adapters/local/index.ts'
import type { Executor } from '../../adapters/sqlite/statement/executor.ts'
import { createMeter } from '../../adapters/sqlite/statement/meter.ts'
import type { Places } from '../../domain/placement/find/at-place.ts'
import { createPlaceMemory } from '../../domain/placement/find/place-memory.ts'
import { placedRequests } from '../../domain/placement/storage/placed-requests.ts'
import type { Background } from '../../ports/platform/background.ts'
import type { Meter } from '../../ports/platform/meter.ts'
import type { RequestStorage } from '../../ports/storage.ts'
import type { Env } from '../env/index.ts'
import { backgroundOn, consoleLog, systemClock, systemDeadline } from '../system.ts'

export { createMeter } from '../../adapters/sqlite/statement/meter.ts'

/** The bindings of the databases. */
export type DatabaseEnv = Pick<Env, 'database' | 'families'>

/** Runs background work where nothing keeps the isolate alive for it, so only for work that may be lost. */
const detached = backgroundOn(consoleLog)

/** The places of organizations with databases of their own, as far as this isolate has looked them up. */
const placeMemory = createPlaceMemory()

/**
 * Opens the part of the service's storage that most requests need. No I/O. Only this folder of the Worker knows which
 * database engine is used.
 */
export function openRequestStorage(env: DatabaseEnv, meter: Meter, background: Background): RequestStorage {
  const clock = systemClock
  const { database, families } = env
  const { directory, ...shared } = createD1RequestStorage({ database, clock, meter })
  return placedRequests({
    ...placeTools(env, background),
    directory,
    storageAt: storageOfPlaces(shared, createObjectRequestStorage, { families, meter }),
  })
}

/**
 * Opens the storage of a place: the shared one, or one in the place's object. Throws for an object where there is no
 * binding of families' databases.
 */
export function storageOfPlaces<Stored>(
  shared: Stored,
  createInObject: (options: ObjectExecutorOptions) => Stored,
  { families, meter }: Pick<DatabaseEnv, 'families'> & { readonly meter: Meter },
): Places<Stored>['storageAt'] {
  return (place, isConfirmed) => {
    if (place.kind === 'shared') return shared
    return createInObject({
      namespace: bound(families),
      place,
      isConfirmed,
      clock: systemClock,
      meter,
      migrations: ownMigrations,
    })
  }
}

/** The dependencies for finding places, besides their storage. */
export function placeTools(
  { database }: DatabaseEnv,
  background: Background = detached,
): Pick<Places, 'memory' | 'noteWork' | 'clock' | 'deadline'> {
  return {
    memory: placeMemory,
    // The note is not part of the request, whose meter counts its calls, so it gets its own storage.
    noteWork: (familyId, at) => {
      const { directory } = createD1RequestStorage({ database, clock: systemClock })
      background.run(directory.noteWork(familyId, at))
    },
    clock: systemClock,
    deadline: systemDeadline,
  }
}

/**
 * The binding of families' databases. Throws without one, because a family can only have a database of its own where
 * there is that binding.
 */
function bound(families: DatabaseEnv['families']): NonNullable<DatabaseEnv['families']> {
  if (families === null)
    throw new Error('A family has a database of its own: the binding FAMILIES is missing')
  return families
}

/** Opens the database of the legacy vendor, which has tables of its own. No I/O. */
export function openPosLegacy(database: D1Database, meter: Meter = createMeter()): Executor {
  return createExecutor({ database, clock: systemClock, meter })
}

/** Opens the mailbox that replaces the providers on a developer's machine. No I/O. */
export function openMailbox({ database }: Pick<Env, 'database'>): Mailbox {
  return createMailbox(createExecutor({ database, clock: systemClock }), systemClock)
}
