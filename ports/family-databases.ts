import type { OwnPlace } from './placement.ts'

/** The databases of families that have one of their own, as a whole. What they hold is reached through `Storage`. */
export interface FamilyDatabases {
  /** Makes the database of a new family, empty and in use. May be repeated for the same place. */
  create(place: OwnPlace): Promise<void>
  /** How much it stores, in bytes. */
  sizeBytes(place: OwnPlace): Promise<number>
}
