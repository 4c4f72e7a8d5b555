import { createD1Storage } from '../../adapters/d1/storage.ts'
import { createFamilyDatabases } from '../../adapters/durable-object/client/family-databases.ts'
import { createObjectStorage } from '../../adapters/durable-object/client/storage.ts'
import type { AllPlaces } from '../../domain/placement/find/at-place.ts'
import type { PlacedStorage } from '../../domain/placement/placed-storage.ts'
import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Background } from '../../ports/platform/background.ts'
import type { Meter } from '../../ports/platform/meter.ts'
import { consoleLog, systemClock } from '../system.ts'
import type { DatabaseEnv } from './storage.ts'
import { createMeter, placeTools, storageOfPlaces } from './storage.ts'

/** Opens all of the service's storage: for operators, analytics and follow-up work. No I/O. */
export function openStorage(env: DatabaseEnv, meter?: Meter, background?: Background): PlacedStorage {
  return createPlacedStorage(openPlaces(env, meter, background), consoleLog)
}

/** Opens the places of organizations with their complete storage. No I/O. */
export function openPlaces(
  env: DatabaseEnv,
  meter: Meter = createMeter(),
  background?: Background,
): AllPlaces {
  const clock = systemClock
  const { database, families } = env
  const { directory, ...shared } = createD1Storage({ database, clock, meter })
  return {
    ...placeTools(env, background),
    directory,
    storageAt: storageOfPlaces(shared, createObjectStorage, { families, meter }),
    databases: families === null ? null : createFamilyDatabases({ namespace: families, clock, meter }),
  }
}
