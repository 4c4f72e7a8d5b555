import type { OutboxPosition } from '../../ports/outbox-store.ts'

/** A part of a list over several databases. */
export interface PlacesList<Row, After> {
  readonly rows: readonly Row[]
  /** Where the list continues; null: it ends here. */
  readonly next: After | null
  /** Families whose databases did not answer. */
  readonly unanswered: readonly string[]
}

/** Where a list of entries over all places continues. */
export interface PlacedOutboxPosition {
  /** Null: in the shared place. */
  readonly familyId: string | null
  /** After this entry; null: after all of the place. */
  readonly entry: OutboxPosition | null
}
