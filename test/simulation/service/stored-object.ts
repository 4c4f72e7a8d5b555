import type { Family } from '../../../adapters/durable-object/family.ts'
import type { StoredHere } from '../engine/database.ts'
import type { Universe } from './universe.ts'
import type { Version } from './versions.ts'

/** What objects need of their world. */
export type ObjectUniverse = Omit<Universe, 'stored' | 'secrets' | 'database'>

/** An object that runs, on one machine. */
export interface Instance {
  readonly family: Family
  readonly version: Version
  isAlive: boolean
}

/** An object of a family, and what it stores. */
export interface StoredObject {
  /** The family's id and the number of the database among those that the family has had. */
  readonly name: string
  readonly stored: StoredHere
  /** How it stays broken when everything else is mended; null: it does not. */
  broken: 'fails' | 'hangs' | null
  /** The instance that runs, or that is started for this. */
  instance(): Instance
  /** Takes the instance away with all that it remembers. The next call starts another one. */
  goDown(): void
  /** The version that runs; null: none does. */
  runs(): Version['name'] | null
}
