import type { OutboxPosition } from '../../../ports/messaging.ts'

/** The families that a reply over several databases leaves out, by their root organizations. */
export interface Gaps {
  /** Their databases did not answer. */
  readonly unanswered: readonly string[]
  /** Their creation was begun and never finished, so they have no rows that could be missing. */
  readonly unfinished: readonly string[]
}

/** The gaps of a reply that leaves out nothing. */
export const NO_GAPS: Gaps = { unanswered: [], unfinished: [] }

/** A part of a list over several databases. */
export interface PlacesList<Row, After> extends Gaps {
  readonly rows: readonly Row[]
  /** Where the list continues; null: it ends here. */
  readonly next: After | null
}

/** Where a list of entries over all places continues. */
export interface PlacedOutboxPosition {
  /** Null: in the shared place. */
  readonly familyId: string | null
  /** After this entry; null: after all entries of the place. */
  readonly entry: OutboxPosition | null
}
