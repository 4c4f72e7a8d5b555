import type { Family } from '../../../adapters/durable-object/family.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { AllPlaces } from '../../../domain/placement/at-place.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import type { EmailSender } from '../../../ports/email-sender.ts'
import type { MoveLedger } from '../../../ports/move-ledger.ts'
import type { MovePlace } from '../../../ports/move.ts'
import type { PlaceDirectory } from '../../../ports/placement.ts'
import type { SmsSender } from '../../../ports/sms-sender.ts'
import type { SimulatedDatabase, Stored, StoredHere } from '../engine/database.ts'
import type { Decisions } from '../engine/decisions.ts'
import type { Faults } from '../engine/faults.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Trace } from '../engine/trace.ts'
import type { Version } from './versions.ts'

/** A mistake that is planted by wrapping a port or by replacing a statement, to see whether a run finds it. */
export interface Mutant {
  /** In a few words, what is wrong. */
  readonly name: string
  /** Replaces the storage ports of a process. */
  readonly storage?: (storage: PlacedStorage, process: MutantProcess) => PlacedStorage
  /** Replaces the text of a statement. */
  readonly statement?: (sql: string) => string
  readonly email?: (sender: EmailSender) => EmailSender
  readonly sms?: (sender: SmsSender) => SmsSender
  /** Replaces a place as a move sees it. */
  readonly movePlace?: (place: MovePlace) => MovePlace
  readonly ledger?: (ledger: MoveLedger) => MoveLedger
  /** Replaces the directory as a process asks it. */
  readonly directory?: (directory: PlaceDirectory) => PlaceDirectory
  /** Replaces the object of a family. */
  readonly family?: (honest: Family, stored: StoredHere) => Family
  /** Whether the root secret is exchanged in one deployment, in which the old one is still in force somewhere. */
  readonly rotatesAtOnce?: true
  /** Added to the time that a process reads, in ms, decided when it reads. */
  readonly clockErrorMs?: (decide: Decisions) => number
}

/** What a mutant may use of the process that it is planted in. */
export interface MutantProcess {
  readonly executor: Executor
  readonly places: AllPlaces
  /** Lets work go on in the background. */
  readonly run: (work: Promise<unknown>) => void
  /** Kept for the life of the process. */
  readonly memory: Map<string, unknown>
}

/** What all parts of a simulated world share. */
export interface Universe {
  readonly decide: Decisions
  readonly faults: Faults
  readonly scheduler: Scheduler
  readonly trace: Trace
  /** The database that organizations share. */
  readonly database: SimulatedDatabase
  /** What all databases store. */
  readonly stored: Stored
  readonly mutant: Mutant | null
  /** The root secrets of processes that start now. */
  readonly secrets: () => Secrets
  /** The version of what starts now: a process, or an object. */
  readonly versionOf: (starting: string) => Version
  /** Called after storage was written, with what the batch did. */
  readonly written: (name: string) => void
  /** Says that something that must never happen has happened. */
  readonly violated: (invariant: string, details: string) => void
}
