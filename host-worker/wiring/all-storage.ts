import { createExecutor } from '../../adapters/d1/executor.ts'
import { createFamilyDatabases } from '../../adapters/durable-object/client/family-databases.ts'
import { createPlaceDirectory } from '../../adapters/sqlite/placement/directory.ts'
import { createStorage } from '../../adapters/sqlite/storage.ts'
import type { AllPlaces } from '../../domain/placement/find/at-place.ts'
import { createPlacedStorage, type PlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Background, Meter } from '../../ports/platform.ts'
import { consoleLog, systemClock } from '../system.ts'
import { createMeter } from './opening.ts'
import { openPlaces, type DatabaseEnv } from './places.ts'

/** Opens all of the service's storage: for operators, analytics and follow-up work. No I/O. */
export function openStorage(env: DatabaseEnv, meter?: Meter, background?: Background): PlacedStorage {
  return createPlacedStorage(openAllPlaces(env, meter, background), consoleLog)
}

/** Opens the places of organizations with their complete storage. No I/O. */
export function openAllPlaces(
  env: DatabaseEnv,
  meter: Meter = createMeter(),
  background?: Background,
): AllPlaces {
  const clock = systemClock
  const { database, families } = env
  return {
    ...openPlaces(env, createStorage, meter, background),
    directory: createPlaceDirectory(createExecutor({ database, clock, meter }), clock),
    databases: families === null ? null : createFamilyDatabases({ namespace: families, clock, meter }),
  }
}
