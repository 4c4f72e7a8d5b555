import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { FamilyDatabases } from '../../ports/family-databases.ts'
import type { OwnPlace, Place, PlaceDirectory, PlaceFinder, SharedPlace } from '../../ports/placement.ts'
import type { RequestStorage, Storage } from '../../ports/storage.ts'
import { pause } from '../bounds/within.ts'
import { ElsewhereError, PausedError } from './errors.ts'
import type { PlaceMemory } from './place-memory.ts'

/** What finding the database of an organization needs. `Stored` is what its storage offers. */
export interface Places<Stored = RequestStorage> {
  readonly directory: PlaceFinder
  /** Kept across requests by the host. */
  readonly memory: PlaceMemory
  /** The storage over the database of a place. No I/O. */
  readonly storageAt: (place: Place) => Stored
  /** Notes soon, while nobody waits for it, that a family's database is to be asked for work at an instant. */
  readonly noteWork: (familyId: string, at: string) => void
  readonly clock: Clock
  readonly deadline: Deadline
}

/** Places with everything that is stored in them: for operators, and for work that no request waits for. */
export interface AllPlaces extends Places<Storage> {
  readonly directory: PlaceDirectory
  /** Null: families cannot have databases of their own here. */
  readonly databases: FamilyDatabases | null
}

/** Work on the storage of one place. It may be done again in another place, after a refusal that changed nothing. */
export type PlacedWork<Stored, Result> = (storage: Stored, place: Place) => Promise<Result>

export const SHARED: SharedPlace = { kind: 'shared' }

/** How often the directory is asked anew: a family that moves on and on is given up on. */
const LOOKS_MAX = 4

/**
 * How often paused work is tried again, and the pause between, in ms. Together they last fifteen seconds: a move pauses
 * writes for about one, and one that was killed meanwhile gives its pause up after some more.
 */
const PAUSES_MAX = 300
const PAUSE_MS = 50

/**
 * Does work where an organization lives. The place is the one that the isolate remembers, else the shared one, which
 * refuses whom it does not hold: so an organization there costs no look at the directory, and one elsewhere costs one,
 * once for each isolate and move.
 */
export async function atPlace<Stored, Result>(
  organizationId: string,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  let place: Place = places.memory.get(organizationId) ?? SHARED
  for (let looks = 0; ; looks += 1) {
    try {
      return await inPlace(place, places, work)
    } catch (error) {
      if (!(error instanceof ElsewhereError) || looks === LOOKS_MAX) throw error
      place = await placeAfter(error, organizationId, places)
    }
  }
}

/** Does work where a key is. The shared database refuses a key that it does not hold. */
export async function atKey<Stored, Result>(
  keyId: string,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  try {
    return await inPlace(SHARED, places, work)
  } catch (error) {
    if (!(error instanceof ElsewhereError)) throw error
    const placed = error.found ?? (await places.directory.placeOfKey(keyId))
    if (placed === null) throw error
    places.memory.remember(placed.organizationId, placed.place)
    return atPlace(placed.organizationId, places, work)
  }
}

/** The place after a refusal. The shared database, which has the directory, may have said it along with that. */
async function placeAfter(
  { found }: ElsewhereError,
  organizationId: string,
  places: Pick<Places, 'directory' | 'memory'>,
): Promise<Place> {
  if (found?.organizationId !== organizationId) return lookUp(organizationId, places)
  places.memory.remember(organizationId, found.place)
  return found.place
}

/** Looks a place up in the directory, and remembers it. */
export async function lookUp(
  organizationId: string,
  { directory, memory }: Pick<Places, 'directory' | 'memory'>,
): Promise<Place> {
  const found: OwnPlace | null = await directory.placeOf(organizationId)
  if (found === null) memory.forget(organizationId)
  else memory.remember(organizationId, found)
  return found ?? SHARED
}

/**
 * Does work in this very place, and tries it again while the writes of its family are paused. Rejects with an
 * `ElsewhereError` when the place does not hold whom the work is about.
 */
export async function inPlace<Stored, Result>(
  place: Place,
  { deadline, storageAt }: Pick<Places<Stored>, 'deadline' | 'storageAt'>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await work(storageAt(place), place)
    } catch (error) {
      if (!(error instanceof PausedError) || pauses === PAUSES_MAX) throw error
      await pause(deadline, PAUSE_MS)
    }
  }
}
