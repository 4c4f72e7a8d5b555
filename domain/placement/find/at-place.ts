import type { Clock, Deadline, Log } from '../../../ports/platform.ts'
import type { FamilyDatabases } from '../../../ports/placement/family-databases.ts'
import type {
  OwnPlace,
  Place,
  PlacedOrganization,
  PlaceDirectory,
  PlaceFinder,
  SharedPlace,
} from '../../../ports/placement/placement.ts'
import type { Storage } from '../../../ports/storage.ts'
import { repeatWhileRejected, steadyPauses, type Backoff } from '../../limits/retry.ts'
import { pause } from '../../limits/waiting.ts'
import type { Relay } from '../../../ports/relayed.ts'
import { ElsewhereError, PausedError } from './errors.ts'
import type { NamedKey, PlaceMemory } from './place-memory.ts'

/** The ports for finding and opening the database of an organization. `Stored` is what its storage offers. */
export interface Places<Stored = unknown> {
  readonly directory: PlaceFinder
  /** Kept across requests by the host, because it is in memory. */
  readonly memory: PlaceMemory
  /**
   * Opens the storage over the database of a place. No I/O.
   * @param isConfirmed whether the directory has named the place since the present request began. During the switch of
   *   a move, a database refuses those who only remember it.
   */
  readonly storageAt: (place: Place, isConfirmed: boolean) => Stored
  /** Notes in the background that the sweep should ask a family's database for work at an instant. */
  readonly noteWork: (familyId: string, at: string) => void
  readonly clock: Clock
  readonly deadline: Deadline
}

/** Places with complete storage: for operators, and for background work. */
export interface AllPlaces extends Places<Storage> {
  readonly directory: PlaceDirectory
  /** Null: families cannot have databases of their own here. */
  readonly databases: FamilyDatabases | null
}

/** All places, with a log: for work that continues when a database does not answer, and logs that. */
export interface LoggedPlaces extends AllPlaces {
  readonly log: Log
}

/**
 * Work on the storage of one place. After a refusal, which changes nothing, the work may be repeated in another place.
 */
export type PlacedWork<Stored, Result> = (storage: Stored, place: Place) => Promise<Result>

export const SHARED: SharedPlace = { kind: 'shared' }

/** A place to call. */
export interface FoundPlace {
  readonly place: Place
  /** Whether the directory has named it since the present request began. */
  readonly isConfirmed: boolean
}

/** The shared database has the directory, so it always knows what lives there. */
export const IN_SHARED: FoundPlace = { place: SHARED, isConfirmed: true }

/** How often the directory is asked again. After that, a family that keeps moving is given up on. */
const LOOKS_MAX = 4

/**
 * How paused work is retried: every 50 ms for fifteen seconds. A move pauses writes for about one second, and the pause
 * of a move that was killed expires a few seconds later.
 */
const BACKOFF: Backoff = { pausesMs: steadyPauses(50, 300) }

/**
 * Does work in the place where an organization lives. It first tries the place that the isolate remembers, or else the
 * shared database, which refuses organizations that it does not hold. So an organization in the shared database needs
 * no look-up in the directory; one elsewhere needs one look-up per isolate and move.
 */
export async function atPlace<Stored, Result>(
  organizationId: string,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  const { memory, clock } = places
  const place = memory.placeToCall(organizationId, clock.nowMs())
  const first = place === null ? IN_SHARED : { place, isConfirmed: false }
  return startingAt(first, organizationId, places, work)
}

/** Asks a port of the storage in the place where an organization lives. For ports that are `relayed`. */
export function toPlace<Stored, Port>(
  organizationId: string,
  places: Places<Stored>,
  open: (storage: Stored) => Port,
): Relay<Port> {
  return (ask) => atPlace(organizationId, places, (storage) => ask(open(storage)))
}

/**
 * Does work that proves a key, in the place where the key's organization lives. Only an id that this isolate has seen
 * proven leads to the place that it remembers. For every other id, the shared database is asked first: it knows the ids
 * of all keys, so that a forged key ends there, whether or not there is such an organization, and wherever that lives.
 */
export async function atClaim<Stored, Result extends { readonly authenticated: boolean }>(
  claim: NamedKey,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  const { organizationId } = claim
  const result = places.memory.isProven(claim)
    ? await atPlace(organizationId, places, work)
    : await startingAt(IN_SHARED, organizationId, places, work)
  if (result.authenticated) places.memory.proved(claim)
  return result
}

/** Does work in the place that the directory has just named, and remembers it. */
export async function atNamed<Stored, Result>(
  { organizationId, place }: PlacedOrganization,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  places.memory.remember(organizationId, place)
  return startingAt({ place, isConfirmed: true }, organizationId, places, work)
}

/** Does work in a place, and in the one that the directory names when that place refuses. */
async function startingAt<Stored, Result>(
  first: FoundPlace,
  organizationId: string,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  let found = first
  for (let looks = 0; ; looks += 1) {
    try {
      const result = await inPlace(found, places, work)
      // The shared database says nothing about whether the organization's own one works.
      if (found.place.kind === 'own') places.memory.answered(organizationId)
      return result
    } catch (error) {
      if (!(error instanceof ElsewhereError) || looks === LOOKS_MAX) throw error
      found = { place: await placeAfter(error, organizationId, places), isConfirmed: true }
    }
  }
}

/** Does work in the place of a key. The shared database refuses a key that it does not hold. */
export async function atKey<Stored, Result>(
  keyId: string,
  places: Places<Stored>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  try {
    return await inPlace(IN_SHARED, places, work)
  } catch (error) {
    if (!(error instanceof ElsewhereError)) throw error
    const placed = error.found ?? (await places.directory.placeOfKey(keyId))
    if (placed === null) throw error
    return atNamed(placed, places, work)
  }
}

/** The place to try after a refusal. The shared database, which has the directory, may have named it in the refusal. */
async function placeAfter(
  { found }: ElsewhereError,
  organizationId: string,
  places: Pick<Places, 'directory' | 'memory'>,
): Promise<Place> {
  if (found?.organizationId !== organizationId) return lookUp(organizationId, places)
  places.memory.remember(organizationId, found.place)
  return found.place
}

/** Looks up an organization's place in the directory, and remembers it. */
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
 * Does work in a given place, and retries it while the family's writes are paused. Rejects with an `ElsewhereError`
 * when the place does not hold the organization that the work is about.
 */
export async function inPlace<Stored, Result>(
  { place, isConfirmed }: FoundPlace,
  { deadline, storageAt }: Pick<Places<Stored>, 'deadline' | 'storageAt'>,
  work: PlacedWork<Stored, Result>,
): Promise<Result> {
  const wait = (durationMs: number) => pause(deadline, durationMs)
  return repeatWhileRejected(BACKOFF, { isPassing: isPaused, wait }, () =>
    work(storageAt(place, isConfirmed), place),
  )
}

function isPaused(error: unknown): boolean {
  return error instanceof PausedError
}
