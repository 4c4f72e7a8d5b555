import type { Row } from '../engine/changes.ts'
import type { EventKind } from '../engine/coverage.ts'
import type { Faults } from '../engine/faults.ts'
import type { PlacedChange, StoredPlaces } from '../service/stored-places.ts'

/** What checks of changes need. */
export interface Watch {
  readonly stored: StoredPlaces
  readonly faults: Faults
  readonly nowMs: () => number
  /** Notes that a kind of event happened, to show that runs come across it. */
  readonly happened: (kind: EventKind) => void
  readonly violated: (invariant: string, details: string) => void
}

/** Checks what one call of storage changed. */
export type ChangeCheck = (changes: readonly PlacedChange[]) => void

/** The change of a row of an organization in the database in which it lives. */
export interface HomeChange extends PlacedChange {
  readonly organizationId: string
}

export function isAtHome(change: PlacedChange): change is HomeChange {
  return change.isHome
}

/** The text of a column; an empty text for null. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

interface GatheredDigest {
  readonly formId: string
  readonly count: number
  readonly first: readonly string[]
}

/** The digest in the payload of an entry, or of the email that takes its place; without submissions when there is none. */
export function digestIn(entry: Row | null | undefined): GatheredDigest {
  const payload = JSON.parse(textOf(entry?.payload) || '{}') as Partial<GatheredDigest> & {
    readonly digest?: GatheredDigest
  }
  const { formId = '', count = 0, first = [] } = payload.digest ?? payload
  return { formId, count, first }
}
