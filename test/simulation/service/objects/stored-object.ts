import type { Family } from '../../../../adapters/durable-object/object/family.ts'
import type { StoredHere } from '../../engine/database.ts'
import type { Universe } from '../universe.ts'
import type { Version } from '../processes/versions.ts'

/** The part of the world that objects use. */
export type ObjectUniverse = Omit<Universe, 'stored' | 'secrets' | 'database' | 'aims'>

/** A running instance of an object, on one machine. */
export interface Instance {
  readonly family: Family
  readonly version: Version
  isAlive: boolean
}

/** An object of a family, with its stored data. */
export interface StoredObject {
  /** The family's id and the number of the database among those that the family has had. */
  readonly name: string
  readonly stored: StoredHere
  /** How the object stays broken when all other faults have ended; null: it does not. */
  broken: 'fails' | 'hangs' | null
  /** The running instance, which is started if there is none. */
  instance(): Instance
  /** Ends the instance, whose memory is lost. The next call starts another one. */
  goDown(): void
  /** The version of the running instance; null: there is none. */
  runs(): Version['name'] | null
}
