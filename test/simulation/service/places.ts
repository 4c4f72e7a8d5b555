import {
  createFamilyDatabases,
  createObjectMovePlace,
  createObjectStorage,
  type FamilyNamespace,
} from '../../../adapters/durable-object/index.ts'
import { createPlaceDirectory, createStorage, type Executor } from '../../../adapters/sqlite/index.ts'
import { createMoveLedger } from '../../../adapters/sqlite/move/ledger.ts'
import { createMovePlace, sharedControl } from '../../../adapters/sqlite/move/place.ts'
import { createPlaceMemory, type AllPlaces } from '../../../domain/placement/find/at-place.ts'
import type { MovesWorld } from '../../../domain/placement/operators/moves.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Background, Clock, Deadline, Log, RandomSource } from '../../../ports/platform.ts'
import type { MovePlace, Place } from '../../../ports/placement.ts'
import type { Process } from './processes/process.ts'
import type { Aims, Mutant } from './universe.ts'

/** The dependencies of the places. */
export interface PlaceParts {
  /** The executor of the shared database. */
  readonly executor: Executor
  readonly namespace: FamilyNamespace
  readonly clock: Clock
  readonly deadline: Deadline
  readonly background: Background
}

/** All places, as `host-worker/wiring/places.ts` opens them. */
export function openPlaces({ executor, namespace, clock, deadline, background }: PlaceParts): AllPlaces {
  const shared = createStorage({ executor, clock, isShared: true })
  const directory = createPlaceDirectory(executor, clock)
  return {
    directory,
    memory: createPlaceMemory(),
    storageAt: (place, isConfirmed) =>
      place.kind === 'shared' ? shared : createObjectStorage({ namespace, place, isConfirmed, clock }),
    noteWork: (familyId, at) => {
      background.run(directory.noteWork(familyId, at))
    },
    databases: createFamilyDatabases({ namespace, clock }),
    clock,
    deadline,
  }
}

interface MovingParts extends Pick<PlaceParts, 'executor' | 'namespace'> {
  readonly places: AllPlaces
  readonly storage: PlacedStorage
  readonly random: RandomSource
  readonly mutant: Mutant | null
  readonly aims: Aims
  readonly process: Process
  readonly log: Log
}

/** How many rows a step of a move takes: few, so that moving a family of some dozen rows takes many steps. */
const MOVED_ROWS_MAX = 5

/** The ports of moves, as `host-worker/wiring/operator-world.ts` opens them. */
export function openMoving({
  executor,
  namespace,
  places,
  storage,
  random,
  mutant,
  aims,
  process,
  log,
}: MovingParts): Omit<MovesWorld, 'background'> {
  const { clock, deadline, directory } = places
  const ledger = createMoveLedger(executor)
  const placeOf = (place: Place): MovePlace =>
    place.kind === 'shared'
      ? createMovePlace({ executor, control: sharedControl(executor), rowsMax: MOVED_ROWS_MAX })
      : createObjectMovePlace({ namespace, place, clock })
  return {
    ledger: aims.ledger(mutant?.ledger?.(ledger) ?? ledger, process),
    places: (place) => aims.place(mutant?.movePlace?.(placeOf(place)) ?? placeOf(place), process),
    directory,
    administration: storage.administration,
    databases: places.databases,
    log,
    clock,
    deadline,
    random,
  }
}
