import { createObjectStorage } from '../../../adapters/durable-object/index.ts'
import { createPlaceDirectory, createStorage } from '../../../adapters/sqlite/index.ts'
import { createPlaceMemory, type AllPlaces } from '../../../domain/placement/find/at-place.ts'
import { createMoves } from '../../../domain/placement/operators/moves.ts'
import { createPlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { lineLog, systemDeadline } from '../../../host-worker/system.ts'
import type { FakeClock } from '../runner/fakes.ts'
import { migratedImage } from '../databases/migrated-image.ts'
import { movingPlaces, type MovingPlaces } from './moving.ts'
import type { TestStorage } from '../services/service.ts'

/** A shared database, and databases of families, between which families can move. */
export function openMovingStorage(clock: FakeClock): {
  readonly storage: TestStorage
  readonly places: MovingPlaces
} {
  const families = movingPlaces({ clock, image: migratedImage() })
  const { shared, world } = families
  const directory = createPlaceDirectory(shared, clock)
  const places: AllPlaces = {
    directory,
    memory: createPlaceMemory(),
    storageAt: (place, isConfirmed) =>
      place.kind === 'shared'
        ? createStorage({ executor: shared, clock, isShared: true })
        : createObjectStorage({ namespace: families.own(place).namespace, place, isConfirmed, clock }),
    databases: {
      knows: (law) => law === 'eu',
      create: async () => undefined,
      remove: async () => undefined,
      sizeBytes: async () => 4096,
    },
    noteWork: () => undefined,
    clock,
    deadline: systemDeadline,
  }
  const log = lineLog(() => undefined)
  const storage = createPlacedStorage(places, log)
  const { administration } = storage
  const moves: TestStorage['moves'] = (background) =>
    createMoves({
      ...world,
      ...{ directory, administration, background },
      databases: places.databases,
      log,
    })
  return { storage: { ...storage, moves }, places: families }
}
