import type { Clock, Deadline, Log } from '../../../ports/platform.ts'
import type {
  FamilyDatabases,
  OwnPlace,
  Place,
  PlacedOrganization,
  PlaceDirectory,
  PlaceFinder,
  SharedPlace,
} from '../../../ports/placement.ts'
import type { Storage } from '../../../ports/storage.ts'
import { repeatWhileRejected, steadyPauses, type Backoff, pause } from '../../limits/waiting.ts'
import type { Relay } from '../../../ports/relayed.ts'
import { ElsewhereError, PausedError } from './errors.ts'
import type { KeyClaim } from '../../../ports/organizations.ts'

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
interface FoundPlace {
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

/**
 * The places of organizations with databases of their own, as far as an isolate has looked them up, and the ids of their
 * keys that it has seen proven. It may be outdated.
 */
interface PlaceMemory {
  get(organizationId: string): OwnPlace | null
  /**
   * The place to call now. Null: it must be looked up, because it is unknown or has left every call of the last ten
   * seconds unanswered.
   */
  placeToCall(organizationId: string, nowMs: number): OwnPlace | null
  /** Notes that the place answered a call. */
  answered(organizationId: string): void
  remember(organizationId: string, place: OwnPlace): void
  forget(organizationId: string): void
  /** Notes that a key of the organization was proven, if the organization has a database of its own. */
  proved(key: NamedKey): void
  /** Whether a key with this id was proven to be one of the organization. It may have been revoked since. */
  isProven(key: NamedKey): boolean
  /** Whether to note work of a family now: at most once a minute. */
  isToBeNoted(familyId: string, nowMs: number): boolean
}

/** The parts of a key that name it, without its secret. */
type NamedKey = Pick<KeyClaim, 'organizationId' | 'keyId'>

/** How long a note of work is remembered, in ms. The sweep considers a note valid for longer than that. */
const NOTED_MS = 60_000

/**
 * How long a place may leave all calls unanswered before it is looked up again, in ms. A database that a family has left
 * refuses its calls, but only while it works; when it does not, the directory still knows where the family is now.
 */
const DOUBTED_AFTER_MS = 10_000

interface Remembered {
  readonly place: OwnPlace
  /** When the first call began that no later call's answer has followed; null: the place answers. */
  unansweredSinceMs: number | null
}

/**
 * A memory of at most `organizationsMax` organizations, and as many keys. What has not been used for longest is dropped
 * first.
 */
export function createPlaceMemory(organizationsMax = 20_000): PlaceMemory {
  const places = new Map<string, Remembered>()
  /** The organizations of proven keys, by the keys' ids. */
  const provenKeys = new Map<string, string>()
  const notedMs = new Map<string, number>()
  return {
    get: (organizationId) => places.get(organizationId)?.place ?? null,
    placeToCall(organizationId, nowMs) {
      const remembered = places.get(organizationId)
      if (remembered === undefined) return null
      remembered.unansweredSinceMs ??= nowMs
      if (nowMs - remembered.unansweredSinceMs > DOUBTED_AFTER_MS) {
        places.delete(organizationId)
        return null
      }
      keep(places, organizationId, remembered, organizationsMax)
      return remembered.place
    },
    answered(organizationId) {
      const remembered = places.get(organizationId)
      if (remembered !== undefined) remembered.unansweredSinceMs = null
    },
    remember(organizationId, place) {
      keep(places, organizationId, { place, unansweredSinceMs: null }, organizationsMax)
    },
    forget(organizationId) {
      places.delete(organizationId)
    },
    proved({ organizationId, keyId }) {
      if (places.has(organizationId)) keep(provenKeys, keyId, organizationId, organizationsMax)
    },
    isProven: ({ organizationId, keyId }) => provenKeys.get(keyId) === organizationId,
    isToBeNoted(familyId, nowMs) {
      const isNoted = nowMs - (notedMs.get(familyId) ?? -Infinity) < NOTED_MS
      if (isNoted) return false
      if (notedMs.size >= organizationsMax) notedMs.clear()
      notedMs.set(familyId, nowMs)
      return true
    },
  }
}

/** Puts an entry at the end of a map, which keeps the order of insertion, and drops the first one of too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, entriesMax: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= entriesMax) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
