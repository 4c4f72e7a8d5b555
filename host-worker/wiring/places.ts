import { createExecutor } from '../../adapters/d1/executor.ts'
import { storageOptionsOf } from '../../adapters/durable-object/client/executor.ts'
import { ownMigrations } from '../../adapters/durable-object/object/own-migrations.ts'
import type { Executor } from '../../adapters/sqlite/index.ts'
import { createPlaceFinder, type StorageOptions } from '../../adapters/sqlite/placement/guard.ts'
import { createPlaceMemory, type Places } from '../../domain/placement/find/at-place.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import type { Env } from '../env/index.ts'
import { systemClock, systemDeadline } from '../system.ts'
import { createMeter, detached } from './opening.ts'

/** The bindings of the databases. */
export type DatabaseEnv = Pick<Env, 'database' | 'families'>

/** The places of organizations with databases of their own, as far as this isolate has looked them up. */
const placeMemory = createPlaceMemory()

/**
 * Opens the places of organizations: the database that families share, and the object of each family with one of its
 * own. No I/O. Only this folder of the Worker knows which database engine is used.
 * @param create opens as much of a database's storage as is needed
 */
export function openPlaces<Stored>(
  { database, families }: DatabaseEnv,
  create: (options: StorageOptions) => Stored,
  meter: Meter = createMeter(),
  background: Background = detached,
): Places<Stored> & { readonly executor: Executor } {
  const clock = systemClock
  const executor = createExecutor({ database, clock, meter })
  const shared = create({ executor, clock, isShared: true })
  return {
    /** Runs statements on the shared database. */
    executor,
    directory: createPlaceFinder(executor),
    memory: placeMemory,
    storageAt: (place, isConfirmed) => {
      if (place.kind === 'shared') return shared
      const namespace = bound(families)
      return create(
        storageOptionsOf({ namespace, place, isConfirmed, clock, meter, migrations: ownMigrations }),
      )
    },
    // The note is not part of the request, whose meter counts its calls, so it gets its own executor.
    noteWork: (familyId, at) => {
      background.run(createPlaceFinder(createExecutor({ database, clock })).noteWork(familyId, at))
    },
    clock,
    deadline: systemDeadline,
  }
}

/**
 * The binding of families' databases. Throws without one, because a family can only have a database of its own where
 * there is that binding.
 */
export function bound(families: DatabaseEnv['families']): NonNullable<DatabaseEnv['families']> {
  if (families === null)
    throw new Error('A family has a database of its own: the binding FAMILIES is missing')
  return families
}
