import type { Jurisdiction, OwnPlace } from './placement.ts'

/** Manages the databases of families that have one of their own. Their contents are reached through `Storage`. */
export interface FamilyDatabases {
  /** Whether the platform can keep a database within a jurisdiction. No I/O. */
  knows(jurisdiction: Jurisdiction): boolean
  /** Creates the database of a new family, empty and ready for use. May be repeated for the same place. */
  create(place: OwnPlace): Promise<void>
  /**
   * Removes the database of a family whose organizations were all deleted. May be repeated. Rejects, and removes nothing,
   * when an organization lives there.
   */
  remove(place: OwnPlace): Promise<void>
  /** The size of a database in bytes. */
  sizeBytes(place: OwnPlace): Promise<number>
}
