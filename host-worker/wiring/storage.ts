import type { D1Database } from '@cloudflare/workers-types'
import { createExecutor, isLockFailure } from '../../adapters/d1/executor.ts'
import { createD1RequestStorage } from '../../adapters/d1/request-storage.ts'
import { createObjectRequestStorage } from '../../adapters/durable-object/request-storage.ts'
import type { Mailbox } from '../../adapters/local/index.ts'
import { createMailbox } from '../../adapters/local/index.ts'
import type { Executor } from '../../adapters/sqlite/statement/executor.ts'
import { createMeter } from '../../adapters/sqlite/statement/meter.ts'
import type { Places } from '../../domain/placement/at-place.ts'
import { createPlaceMemory } from '../../domain/placement/place-memory.ts'
import { placedRequests } from '../../domain/placement/placed-requests.ts'
import type { Background } from '../../ports/background.ts'
import type { Meter } from '../../ports/meter.ts'
import type { RequestStorage } from '../../ports/storage.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock, systemDeadline } from '../system.ts'

export { createMeter } from '../../adapters/sqlite/statement/meter.ts'

/** Whether work failed because another process holds the local database: nothing was written, so it may be done again. */
export const isStorageLocked: (error: unknown) => boolean = isLockFailure

/** The bindings of the databases. */
export type DatabaseEnv = Pick<Env, 'database' | 'families'>

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

/**
 * Opens the part of the service's storage that most requests need. No I/O. Nothing else of the Worker knows which engine
 * keeps the data.
 */
export function openRequestStorage(env: DatabaseEnv, meter: Meter, background: Background): RequestStorage {
  const clock = systemClock
  const { database, families } = env
  const { directory, ...shared } = createD1RequestStorage({ database, clock, meter })
  return placedRequests({
    ...placeTools(env, background),
    directory,
    storageAt: (place) =>
      place.kind === 'shared'
        ? shared
        : createObjectRequestStorage({ namespace: bound(families), place, clock, meter }),
  })
}

/** What finding a place needs besides the storage of places. */
export function placeTools(
  { database }: DatabaseEnv,
  background: Background = detached,
): Pick<Places, 'memory' | 'noteWork' | 'clock' | 'deadline'> {
  return {
    memory: placeMemory,
    // The note is no part of the request, whose calls the meter counts.
    noteWork: (familyId, at) => {
      const { directory } = createD1RequestStorage({ database, clock: systemClock })
      background.run(directory.noteWork(familyId, at))
    },
    clock: systemClock,
    deadline: systemDeadline,
  }
}

/** The binding of families' databases. A family can only have one where there is that binding. */
export function bound(families: DatabaseEnv['families']): NonNullable<DatabaseEnv['families']> {
  if (families === null)
    throw new Error('A family has a database of its own: the binding FAMILIES is missing')
  return families
}

/** Opens the database of the legacy vendor, which has tables of its own. No I/O. */
export function openPosLegacy(database: D1Database, meter: Meter = createMeter()): Executor {
  return createExecutor({ database, clock: systemClock, meter })
}

/** Opens the mailbox that takes the place of providers on a developer's machine. No I/O. */
export function openMailbox({ database }: Pick<Env, 'database'>): Mailbox {
  return createMailbox(database, systemClock)
}
