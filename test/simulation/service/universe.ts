import type { Family } from '../../../adapters/durable-object/object/family.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { AllPlaces } from '../../../domain/placement/at-place.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import type { EmailSender } from '../../../ports/messaging/email-sender.ts'
import type { MoveLedger } from '../../../ports/placement/move-ledger.ts'
import type { MovePlace } from '../../../ports/placement/move.ts'
import type { PlaceDirectory } from '../../../ports/placement/placement.ts'
import type { SmsSender } from '../../../ports/messaging/sms-sender.ts'
import type { SimulatedDatabase, Stored, StoredHere } from '../engine/database.ts'
import type { Decisions } from '../engine/decisions.ts'
import type { Faults } from '../engine/faults.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Trace } from '../engine/trace.ts'
import type { Version } from './versions.ts'

/** A mistake that is planted by wrapping a port or by replacing a statement, to see whether a run finds it. */
export interface Mutant {
  /** A short description of the mistake. */
  readonly name: string
  /** Replaces the storage ports of a process. */
  readonly storage?: (storage: PlacedStorage, process: MutantProcess) => PlacedStorage
  /** Replaces the text of a statement. */
  readonly statement?: (sql: string) => string
  readonly email?: (sender: EmailSender) => EmailSender
  readonly sms?: (sender: SmsSender) => SmsSender
  /** Replaces a place that is a source or target of moves. */
  readonly movePlace?: (place: MovePlace) => MovePlace
  readonly ledger?: (ledger: MoveLedger) => MoveLedger
  /** Replaces the directory that a process uses. */
  readonly directory?: (directory: PlaceDirectory) => PlaceDirectory
  /** Replaces the object of a family. */
  readonly family?: (honest: Family, stored: StoredHere) => Family
  /** Whether the root secret is exchanged in one deployment, while some processes still use the old one. */
  readonly rotatesAtOnce?: true
  /** An error of the time that a process reads, in ms, decided at each reading. */
  readonly clockErrorMs?: (decide: Decisions) => number
}

/** The parts of a process that a mutant may use. */
export interface MutantProcess {
  readonly executor: Executor
  readonly places: AllPlaces
  /** Runs work in the background. */
  readonly run: (work: Promise<unknown>) => void
  /** Kept for the lifetime of the process. */
  readonly memory: Map<string, unknown>
}

/** The parts that everything in a simulated world shares. */
export interface Universe {
  readonly decide: Decisions
  readonly faults: Faults
  readonly scheduler: Scheduler
  readonly trace: Trace
  /** The shared database. */
  readonly database: SimulatedDatabase
  /** What is stored in all databases. */
  readonly stored: Stored
  readonly mutant: Mutant | null
  /** The root secrets with which processes start now. */
  readonly secrets: () => Secrets
  /** The version of a process or object that starts now. */
  readonly versionOf: (starting: string) => Version
  /** Called after a write to storage, with the name of the batch. */
  readonly written: (name: string) => void
  /** Reports that something happened that must never happen. */
  readonly violated: (invariant: string, details: string) => void
}
