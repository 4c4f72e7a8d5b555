import type { KeyClaim } from '../../../ports/organizations.ts'
import type { OwnPlace } from '../../../ports/placement/placement.ts'

/**
 * The places of organizations with databases of their own, as far as an isolate has looked them up, and the ids of their
 * keys that it has seen proven. It may be outdated.
 */
export interface PlaceMemory {
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
export type NamedKey = Pick<KeyClaim, 'organizationId' | 'keyId'>

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
