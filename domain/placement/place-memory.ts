import type { OwnPlace } from '../../ports/placement.ts'

/**
 * The places of organizations with databases of their own, as far as an isolate has looked them up. It may be outdated.
 */
export interface PlaceMemory {
  get(organizationId: string): OwnPlace | null
  remember(organizationId: string, place: OwnPlace): void
  forget(organizationId: string): void
  /** Whether to note work of a family now: at most once a minute. */
  isToBeNoted(familyId: string, nowMs: number): boolean
}

/** How long a note of work is remembered, in ms. The sweep considers a note valid for longer than that. */
const NOTED_MS = 60_000

/**
 * A memory of at most `organizationsMax` organizations. The one that has not been used for longest is dropped first.
 */
export function createPlaceMemory(organizationsMax = 20_000): PlaceMemory {
  const places = new Map<string, OwnPlace>()
  const notedMs = new Map<string, number>()
  return {
    get(organizationId) {
      const place = places.get(organizationId)
      if (place === undefined) return null
      // A Map keeps the order of insertion, so removing and adding the place makes it the most recent one.
      places.delete(organizationId)
      places.set(organizationId, place)
      return place
    },
    remember(organizationId, place) {
      places.delete(organizationId)
      places.set(organizationId, place)
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
