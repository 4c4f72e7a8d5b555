import { createFamilyDatabases } from '../../adapters/durable-object/client/control.ts'
import { type Executor, createStorage } from '../../adapters/sqlite/index.ts'
import { createPlaceDirectory } from '../../adapters/sqlite/placement/directory.ts'
import type { AllPlaces } from '../../domain/placement/find/at-place.ts'
import { createPlacedStorage, type PlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import { consoleLog, systemClock } from '../system.ts'
import { createMeter } from './opening.ts'
import { openPlaces, type DatabaseEnv } from './places.ts'

/** All that is stored. */
export interface AllStorage {
  readonly storage: PlacedStorage
  /** The databases that it consists of. */
  readonly places: AllPlaces
  /** Runs statements on the shared database. */
  readonly executor: Executor
}

/** Opens all of the service's storage: for operators, analytics and follow-up work. No I/O. */
export function openStorage(
  env: DatabaseEnv,
  meter: Meter = createMeter(),
  background?: Background,
): AllStorage {
  const clock = systemClock
  const { families: namespace } = env
  const { executor, ...opened } = openPlaces(env, createStorage, meter, background)
  const places = {
    ...opened,
    directory: createPlaceDirectory(executor, clock),
    databases: namespace === null ? null : createFamilyDatabases({ namespace, clock, meter }),
  }
  return { storage: createPlacedStorage(places, consoleLog), places, executor }
}
