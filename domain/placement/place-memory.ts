import type { OwnPlace } from '../../ports/placement.ts'

/**
 * The places of organizations with databases of their own, as far as an isolate has looked them up. It may be outdated.
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
  /** Whether to note work of a family now: at most once a minute. */
  isToBeNoted(familyId: string, nowMs: number): boolean
}

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
 * A memory of at most `organizationsMax` organizations. The one that has not been used for longest is dropped first.
 */
export function createPlaceMemory(organizationsMax = 20_000): PlaceMemory {
  const places = new Map<string, Remembered>()
  const notedMs = new Map<string, number>()
  return {
    get: (organizationId) => places.get(organizationId)?.place ?? null,
    placeToCall(organizationId, nowMs) {
      const remembered = places.get(organizationId)
      if (remembered === undefined) return null
      // A Map keeps the order of insertion, so removing and adding the place makes it the most recent one.
      places.delete(organizationId)
      remembered.unansweredSinceMs ??= nowMs
      if (nowMs - remembered.unansweredSinceMs > DOUBTED_AFTER_MS) return null
      places.set(organizationId, remembered)
      return remembered.place
    },
    answered(organizationId) {
      const remembered = places.get(organizationId)
      if (remembered !== undefined) remembered.unansweredSinceMs = null
    },
    remember(organizationId, place) {
      places.delete(organizationId)
      places.set(organizationId, { place, unansweredSinceMs: null })
      if (places.size <= organizationsMax) return
      for (const oldest of places.keys()) {
        places.delete(oldest)
        return
      }
    },
    forget(organizationId) {
      places.delete(organizationId)
    },
    isToBeNoted(familyId, nowMs) {
      const isNoted = nowMs - (notedMs.get(familyId) ?? -Infinity) < NOTED_MS
      if (isNoted) return false
      if (notedMs.size >= organizationsMax) notedMs.clear()
      notedMs.set(familyId, nowMs)
      return true
    },
  }
}
