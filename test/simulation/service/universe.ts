import type { Family } from '../../../adapters/durable-object/object/family.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { AllPlaces } from '../../../domain/placement/find/at-place.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import type { EmailSender, SmsSender } from '../../../ports/messaging.ts'
import type { MoveLedger, MovePlace, PlaceDirectory } from '../../../ports/placement.ts'
import type { SimulatedDatabase, StoredHere } from '../engine/database.ts'
import type { Coverage, EventKind } from '../engine/coverage.ts'
import type { Decisions } from '../engine/decisions.ts'
import type { Faults } from '../engine/faults.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Trace } from '../engine/trace.ts'
import type { Process } from './processes/process.ts'
import type { PlacedChange, StoredPlaces } from './stored-places.ts'
import type { Version } from './processes/versions.ts'

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

/** Faults that strike a run at one call of moves, before or after it. */
export interface Aims {
  ledger(ledger: MoveLedger, process: Process): MoveLedger
  place(place: MovePlace, process: Process): MovePlace
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
  readonly stored: StoredPlaces
  readonly mutant: Mutant | null
  /** The root secrets with which processes start now. */
  readonly secrets: () => Secrets
  /** The version of a process or object that starts now. */
  readonly versionOf: (starting: string) => Version
  /** Called after each call of storage, to tell what it changed, and then to check that. */
  readonly written: (tell: (changes: readonly PlacedChange[]) => void) => void
  /** Notes that a kind of event happened, to show that runs come across it. */
  readonly happened: (kind: EventKind) => void
  readonly coverage: Coverage
  /** The fault that this run aims at moves. */
  readonly aims: Aims
  /** The failures that the service has logged, by their events. */
  readonly logged: Set<string>
  /** Reports that something happened that must never happen. */
  readonly violated: (invariant: string, details: string) => void
}
