import type { Organization } from './organization.ts'
import type { StoredRow } from './query.ts'
import type { SendRecord } from './send-log.ts'

/** Names one outbox entry of the service. What a queue message carries. */
export interface OutboxRef {
  readonly organizationId: string
  readonly outboxId: string
}

/** A worker's hold on an entry. Whoever holds it alone may settle the entry, until it runs out. */
export interface Lease {
  /** Drawn anew for each claim; tells this hold from every other. */
  readonly token: string
  /** UTC instant at which others may claim the entry. */
  readonly until: string
}

/** A claimed entry with everything that delivering it looks at, read in the same step. */
export interface ClaimedEntry {
  readonly outboxId: string
  readonly kind: string
  readonly payload: unknown
  /** How often the entry was claimed since it was written or driven again, this claim included. */
  readonly attempts: number
  readonly organization: Organization
  /** The submission's stored fields `submissionId`, `formId`, `answers`, `submittedAt`, `contactId`; null: it is gone. */
  readonly submission: StoredRow | null
  /** The form's stored fields `name` and `definition`; null: it is gone. */
  readonly form: StoredRow | null
  /** The contact's stored fields `contactId`, `email`, `phone`, `emailConsent`, `smsConsent`; null: there is none. */
  readonly contact: StoredRow | null
}

/** What became of a claimed entry. `reason` is short and carries neither personal data nor a provider's own words. */
export type Settlement =
  /** It is done for good: the entry leaves the outbox. */
  | { readonly kind: 'done'; readonly sends: readonly SendRecord[] }
  /** It is to be tried again at `at`. An uncounted attempt is given back: nothing was wrong with the entry. */
  | { readonly kind: 'retry'; readonly at: string; readonly reason: string; readonly counted: boolean }
  /** It will not be tried again by itself, and its run, if it has one, has failed. It stays for the operator to look at. */
  | { readonly kind: 'failed'; readonly reason: string; readonly sends: readonly SendRecord[] }

/** The state of an automation run that was begun. */
export interface RunState {
  /** `running`: there are steps to execute. Otherwise it has ended, however it did. */
  readonly status: string
  /** The number of the step to execute next, from 1. */
  readonly nextStep: number
  /** The automation's steps as they were when the run began. */
  readonly steps: unknown
}

/** What a step does to stored data; it is written together with the run's progress, so it happens once. */
export type StepEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'add_to_list'; readonly listId: string; readonly contactId: string }
  | { readonly kind: 'add_tag'; readonly tag: string; readonly contactId: string }

/** A step that was executed. */
export interface FinishedStep {
  readonly runId: string
  /** Number of the step, from 1. Finishing the last one completes the run. */
  readonly step: number
  readonly effect: StepEffect
  readonly sends: readonly SendRecord[]
  /** The lease is renewed until then. */
  readonly leaseUntil: string
}

/** `lost`: the lease is no longer held. `impossible`: the list or contact is missing or takes no members; nothing was written. */
export type StepOutcome = 'saved' | 'lost' | 'impossible'

/** The outbox of one organization, as those who work it off see it. Every method is one atomic step. */
export interface TenantOutbox {
  /**
   * Takes a pending entry that was never claimed, or whose next attempt is due at `now` (a lease that ran out is due
   * too). Of any number of concurrent claims one gets it. Null: it is settled, failed, leased, not due or unknown.
   */
  claim(outboxId: string, lease: Lease, now: string): Promise<ClaimedEntry | null>
  /**
   * Writes what became of an entry. The sends are recorded whether or not the lease still holds, for they happened.
   * False: the lease was lost and the rest was not written.
   */
  settle(outboxId: string, token: string, settlement: Settlement, now: string): Promise<boolean>
  /**
   * Begins the run of an `automation_run` entry, whose id it shares: creates it as `running` with the automation's
   * steps as they are (and completed at once when there are none), or finds it as it was left; one that failed is
   * running again. Null: there is no such automation, or the lease was lost.
   */
  startRun(
    outboxId: string,
    token: string,
    automationId: string,
    contactId: string | null,
    now: string,
  ): Promise<RunState | null>
  /** Saves a step's effect, its sends and the run's progress, and renews the lease. A step that is saved already stays so. */
  finishStep(token: string, step: FinishedStep, now: string): Promise<StepOutcome>
}

/** An entry as the operator sees it. */
export interface ListedEntry extends OutboxRef {
  readonly kind: string
  readonly submissionId: string
  readonly status: 'pending' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastError: string | null
  readonly createdAt: string
}

/**
 * The outbox of the service. An entry is written together with what it follows from and stays until it is done, so
 * it is the one truth about what is still owed; queue messages only say that it is worth looking.
 */
export interface OutboxStore {
  /** Opens one organization's outbox. No I/O. */
  open(organizationId: string): TenantOutbox
  /** Pending entries of all organizations that are due at `now`, longest due first, at most `limit`. */
  due(now: string, limit: number): Promise<readonly OutboxRef[]>
  /** Entries that wait or failed, of one organization or of all (null), oldest first, at most `limit`. */
  list(organizationId: string | null, limit: number): Promise<readonly ListedEntry[]>
  /** Makes an entry pending and due at `now`, with all attempts before it, unless a lease on it holds. */
  redrive(outboxId: string, now: string): Promise<'driven' | 'leased' | 'missing'>
}
