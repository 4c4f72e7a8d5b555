import type { FormDefinition, NewSubmission, OutboxEntry, Position } from './records.ts'
import type { Organization } from './organizations.ts'
import type { SendRecord, Alert } from './messaging.ts'

/**
 * Notifies workers that outbox entries should be processed soon. A message only identifies an entry. It may be lost,
 * late, repeated or out of order: the outbox decides what remains to be done.
 */
export interface Queue {
  /**
   * Hands messages over. Rejects when that failed or its outcome is unknown; the sweep then finds the entries later.
   */
  send(refs: readonly OutboxRef[]): Promise<void>
}

/** Identifies one outbox entry of the service. It is the content of a queue message. */
export interface OutboxRef {
  readonly organizationId: string
  readonly outboxId: string
}

/** A worker's claim on an entry. Until the lease expires, only the worker that holds it may settle the entry. */
export interface Lease {
  /** Random and new for each claim; distinguishes this lease from every other. */
  readonly token: string
  /** The UTC instant from which other workers may claim the entry. */
  readonly until: string
}

/** The parts of a submission that follow-up work needs. */
export interface ClaimedSubmission extends Pick<
  NewSubmission,
  'submissionId' | 'formId' | 'answers' | 'typed' | 'extra' | 'submittedAt'
> {
  /** Null: the submission identifies nobody. */
  readonly contactId: string | null
}

/** The submitted form, in its present state. */
export interface ClaimedForm {
  readonly name: string
  readonly definition: FormDefinition
}

/** The submission's contact, in its present state. */
export interface ClaimedContact {
  readonly contactId: string
  readonly email: string | null
  readonly phone: string | null
  readonly emailConsent: string
  readonly smsConsent: string
}

/** What the work of an entry needs of stored data. */
export interface ClaimedContext {
  /** The submission that the entry follows, of a digest the first; null: it no longer exists. */
  readonly submission: ClaimedSubmission | null
  /** The form of the submission, or that which the entry's payload names as `formId`; null: it no longer exists. */
  readonly form: ClaimedForm | null
  /** Null: there is no contact. */
  readonly contact: ClaimedContact | null
}

/** A claimed entry with everything that its work needs, read in the same step. */
export interface ClaimedEntry extends ClaimedContext {
  readonly outboxId: string
  readonly kind: string
  /**
   * The data of this kind of entry. An older version of the service may have written it, so it is checked when it is
   * read.
   */
  readonly payload: unknown
  /** How often the entry was claimed, this claim included, since it was written or an operator retried it. */
  readonly attempts: number
  /** Since when its message has been waiting to be within the bounds of automations; null: it does not. */
  readonly waitingSince: string | null
  readonly organization: Organization
}

/** The outcome of a claimed entry. `reason` is short and carries neither personal data nor a provider's own words. */
export type Settlement =
  /** The work is done: the entry leaves the outbox. */
  | {
      readonly kind: 'done'
      readonly sends: readonly SendRecord[]
      /** Entries that take its place in the same step, after the same submission and due now; left out: none. */
      readonly entries?: readonly OutboxEntry[]
      /** What became of telling a webhook; left out: that was not the work. */
      readonly delivery?: DeliveryAttempt
      /** To be sent about it; left out: nothing. */
      readonly alert?: Alert
    }
  /**
   * The entry is to be tried again at `at`. When `counted` is false, the attempt is not counted, because the entry was
   * not at fault.
   */
  | {
      readonly kind: 'retry'
      readonly at: string
      readonly reason: string
      readonly counted: boolean
      /** The attempt's message, which was not accepted; left out: none was handed over. */
      readonly sends?: readonly SendRecord[]
      /** Since when its message has been waiting to be within the bounds of automations; left out: it does not. */
      readonly waitingSince?: string
      /** What became of telling a webhook; left out: that was not the work. */
      readonly delivery?: DeliveryAttempt
    }
  /**
   * The entry is not tried again automatically, and its run, if it has one, has failed. The entry stays for the
   * operator.
   */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly sends: readonly SendRecord[]
      /** To be sent about it; left out: nothing. */
      readonly alert?: Alert
    }

/** The state of an automation run that has begun. */
export interface RunState {
  /** `running`: there are steps to execute. Any other status means that the run has ended. */
  readonly status: string
  /** The number of the step to execute next, from 1. */
  readonly nextStep: number
  /** The automation's steps at the beginning of the run, unchecked. */
  readonly steps: unknown
}

/** The change that a step makes to stored data. It is written together with the run's progress, so it happens once. */
export type StepEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'add_to_list'; readonly listId: string; readonly contactId: string }
  | { readonly kind: 'add_tag'; readonly tag: string; readonly contactId: string }

/** A step that has been executed. */
export interface FinishedStep {
  readonly runId: string
  /** Number of the step, from 1. Finishing the last one completes the run. */
  readonly step: number
  readonly effect: StepEffect
  readonly sends: readonly SendRecord[]
  /** The UTC instant until which the lease is renewed. */
  readonly leaseUntil: string
}

/**
 * `lost`: the worker no longer holds the lease. `impossible`: the list or contact does not exist, or the list takes no
 * members; nothing was written.
 */
export type StepOutcome = 'saved' | 'lost' | 'impossible'

/** A message of an automation that is about to be sent. */
export interface AutomationMessage {
  /** Identifies the message within its organization. A message that is sent again under the same id counts once. */
  readonly messageId: string
  /** The address or number, in the form in which all spellings of it are equal. */
  readonly recipient: string
  /** The maximum number of messages to the recipient within any 24 hours. */
  readonly recipientMax: number
  /** The maximum number of messages of the organization within any hour. */
  readonly organizationMax: number
  /** The UTC instant until which the message may wait. */
  readonly waitsUntil: string
  /** The UTC instant until which the lease is renewed. */
  readonly leaseUntil: string
  /** The record of the message, as `pending`. It is written when the message is admitted. */
  readonly send: SendRecord
}

/** Whether a message of an automation may be sent now. */
export type Admission =
  | { readonly kind: 'admitted' }
  | {
      readonly kind: 'over'
      /** The bound that it would exceed; null: others wait for so long that it cannot be sent in time. */
      readonly bound: 'recipient' | 'organization' | null
      /** The UTC instant at which it may be sent; null: not before `waitsUntil`. */
      readonly until: string | null
    }

/** The outbox of one organization, for workers. Every method is one atomic step. */
export interface TenantOutbox {
  /**
   * Claims a pending entry that was never claimed, or whose next attempt is due at `now` (an expired lease is due too).
   * Of several concurrent claims exactly one succeeds. Null: the entry is settled, failed, leased, not due or unknown.
   */
  claim(outboxId: string, lease: Lease, now: string): Promise<ClaimedEntry | null>
  /**
   * What an entry's work needs, as it is now: a person may have been erased since the entry was claimed. Null: the lease
   * was lost.
   */
  readAgain(outboxId: string, token: string): Promise<ClaimedContext | null>
  /**
   * Records that the message of an entry is about to be handed over. Whoever does not do that first must not hand it
   * over. False: the lease was lost and nothing was written.
   */
  begin(outboxId: string, token: string, send: SendRecord): Promise<boolean>
  /**
   * Writes the outcome of an entry. The sends, and a call of a webhook, are recorded even when the lease was lost, because
   * they happened. False: the lease was lost and the rest was not written.
   */
  settle(outboxId: string, token: string, settlement: Settlement, now: string): Promise<boolean>
  /**
   * Begins the run of an `automation_run` entry, which has the entry's id. Creates it as `running` with the
   * automation's present steps (or as completed when there are none), or finds it in its last state; a failed run is
   * set to `running` again. Null: the automation does not exist, or the lease was lost.
   */
  startRun(
    outboxId: string,
    token: string,
    automationId: string,
    contactId: string | null,
    now: string,
  ): Promise<RunState | null>
  /**
   * Asks to send a message of an automation now, and renews the lease. A message that is admitted counts from then on,
   * whatever becomes of it, and is recorded as about to be handed over. One that is over a bound is told when it may ask again, and nobody who asks after it is
   * told an earlier instant. Without the lease nothing is written, and the message is not admitted.
   */
  admit(outboxId: string, token: string, message: AutomationMessage, now: string): Promise<Admission>
  /**
   * Saves a step's effect, its sends and the run's progress, and renews the lease. A step that is already saved is not
   * changed.
   */
  finishStep(token: string, step: FinishedStep, now: string): Promise<StepOutcome>
}

/** An entry in the form in which operators see it. */
export interface ListedEntry extends OutboxRef {
  readonly kind: string
  readonly submissionId: string
  /** `held`: it was restored from an archive, and waits until an operator retries it, so that nothing is sent twice. */
  readonly status: 'pending' | 'held' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastError: string | null
  readonly createdAt: string
}

/**
 * Why a pending entry waits. `due`: its time has come. `working`: somebody is at it. `bound`: its message waits to be
 * within the bounds of automations. `provider`: there is none for it. `retry`: it was tried, and its next attempt has not
 * come. `scheduled`: its first attempt has not come.
 */
export type WaitingFor = 'due' | 'working' | 'bound' | 'provider' | 'retry' | 'scheduled'

/** A delivery to a webhook that was tried, as far as a summary needs it. */
export interface SummedDelivery {
  readonly status: DeliveryStatus
  /** When it was called last, UTC; null: it was not. */
  readonly at: string | null
  /** How long its latest answer took, in ms; null: there was none. */
  readonly durationMs: number | null
}

/** A webhook in a summary. */
export interface SummedWebhook extends Pick<
  Webhook,
  'webhookId' | 'url' | 'isOn' | 'offReason' | 'failingSince'
> {
  /** Those of its deliveries among the pending entries that were counted. */
  readonly waiting: number
  /** Its latest deliveries that were tried, newest event first. */
  readonly deliveries: readonly SummedDelivery[]
}

/** At what instant a summary is made, and how much it looks at, however much there is. */
export interface SummaryScope {
  /** UTC. */
  readonly now: string
  /** How the reasons end of entries that wait for a provider. */
  readonly providerless: readonly string[]
  /** How many entries of an organization: of those that wait, and of those that are not tried by themselves. */
  readonly entriesMax: number
  /** How many reasons of an organization. */
  readonly reasonsMax: number
  /** How many deliveries of a webhook. */
  readonly deliveriesMax: number
}

/** What waits, and what failed, of one organization. */
export interface OutboxSummary {
  readonly organizationId: string
  readonly name: string
  /** The pending entries by kind and by what they wait for, those that are due first. */
  readonly waiting: readonly { readonly kind: string; readonly for: WaitingFor; readonly count: number }[]
  /** Since when the entry is due that has been due longest, UTC; null: none is due. */
  readonly dueSince: string | null
  /** The entries that are not tried by themselves, the latest ones. */
  readonly stopped: readonly {
    readonly kind: string
    readonly status: 'held' | 'failed'
    readonly count: number
  }[]
  /** Why entries among these failed: the reasons that came up latest, newest first. */
  readonly reasons: readonly {
    readonly kind: string
    readonly reason: string
    readonly count: number
    /** When it came up last, UTC. */
    readonly at: string
  }[]
  /** By their id. */
  readonly webhooks: readonly SummedWebhook[]
}

/**
 * The outbox of the service. An entry is written together with the data that causes it, and stays until its work is
 * done. So only the outbox tells which work remains; queue messages merely say when to look.
 */
export interface OutboxStore {
  /** Opens one organization's outbox. No I/O. */
  open(organizationId: string): TenantOutbox
  /**
   * Pending entries that are due at `now`, at most `limit`. Organizations take turns: first one entry of each, the one
   * that has been due longest, then a second one of each, and so on. Which organization comes first changes every
   * minute, so that all are served when there are more than `limit`.
   */
  due(now: string, limit: number): Promise<readonly OutboxRef[]>
  /** When the next pending entry in this storage is to be tried; null: none is pending. */
  nextDue(): Promise<string | null>
  /**
   * Waiting and failed entries of one organization, or of all (null): oldest first, starting after `after` (null: at
   * the oldest), at most `limit`.
   */
  list(organizationId: string | null, after: Position | null, limit: number): Promise<readonly ListedEntry[]>
  /** What waits and failed of each of these organizations that is there, by their id. */
  summaries(organizationIds: readonly string[], scope: SummaryScope): Promise<readonly OutboxSummary[]>
  /**
   * Waiting and failed entries that follow a submission, oldest first. Their ids contain that of the submission; those of
   * alerts do not.
   */
  ofSubmission(organizationId: string, submissionId: string): Promise<readonly ListedEntry[]>
  /** The organization of a waiting or failed entry; null: there is no such entry. */
  ownerOf(outboxId: string): Promise<string | null>
  /**
   * Makes an entry pending and due at `now`, and resets its attempts to zero, unless a worker holds a lease on it. A
   * `now` that is ahead of the store's own time does not delay the entry.
   */
  redrive(outboxId: string, now: string): Promise<'driven' | 'leased' | 'missing'>
}

/** Why the service itself switched a webhook off: it answered 410, or nothing succeeded for days. */
export type OffReason = 'gone' | 'failing'

/**
 * `waiting`: the last attempt failed, and another one follows. `dropped`: it was not sent, because the webhook was off or
 * what it told of is gone.
 */
export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'dropped'

/** What is said of a webhook by people. */
export interface WebhookSettings {
  readonly url: string
  /** The words of the events that it is told of. */
  readonly events: readonly string[]
  /** Of submissions only those of these forms; null: of all. */
  readonly formIds: readonly string[] | null
  readonly description: string
  readonly isOn: boolean
}

/** An address of another system that an organization tells of what happens in it. */
export interface Webhook extends WebhookSettings {
  readonly webhookId: string
  /** Null: it is on, or somebody switched it off. */
  readonly offReason: OffReason | null
  /** When it failed for the first time since it last succeeded, UTC; null: it has not failed since. */
  readonly failingSince: string | null
  /** What signs its deliveries, encrypted; null: it was restored from an archive, and has none yet. */
  readonly secret: string | null
  /** What signs besides, encrypted; null: nothing. */
  readonly previousSecret: string | null
  /** The UTC instant until which that signs. */
  readonly previousUntil: string | null
  readonly createdAt: string
  /** Grows with each change that a person makes, and when the service switches it off. */
  readonly version: number
}

/** A webhook to be stored. */
export type NewWebhook = WebhookSettings &
  Pick<Webhook, 'webhookId' | 'createdAt'> & { readonly secret: string }

/** One answer of a webhook, or why there was none. */
export interface WebhookAnswer {
  /** When it was called, UTC. */
  readonly at: string
  /** The HTTP status; null: there was no answer. */
  readonly status: number | null
  readonly durationMs: number
  /** The beginning of the answer's body. */
  readonly text: string
  /** Why it was no success, in this service's words; null: it was one. */
  readonly reason: string | null
}

/** What a webhook is told of. Its id is that of the entry of the outbox and of the delivery. */
export interface WebhookEvent {
  readonly deliveryId: string
  readonly webhookId: string
  readonly event: string
  /** The id of the row that it tells of. */
  readonly subjectId: string
  /** When that happened, UTC. */
  readonly at: string
}

/** A delivery that was tried, as it is kept for some time. What was sent is not kept. */
export interface WebhookDelivery extends WebhookEvent {
  readonly status: DeliveryStatus
  /** How often it was called, resending included. */
  readonly attempts: number
  /** The latest answers, oldest first. */
  readonly answers: readonly WebhookAnswer[]
}

/** What became of an attempt to deliver, for the record. */
export interface DeliveryAttempt extends WebhookEvent {
  readonly status: DeliveryStatus
  /** Null: the webhook was not called. */
  readonly answer: WebhookAnswer | null
  /**
   * The row that the webhook was told. When it has changed since, the text of the answer is not kept, because it may
   * repeat what is erased by now. Left out: it was told no more than an id.
   */
  readonly told?: { readonly collection: string; readonly updatedAt: string }
}

/** What came of a change. `changed`: the webhook is another version by now. In all cases but `done` nothing was written. */
export type WebhookChange = 'done' | 'missing' | 'changed'

/** The webhooks of one organization. Every method is one atomic step. */
export interface TenantWebhooks {
  /** In the order of their ids, after one of them (null: from the first), at most `limit`. */
  list(afterId: string | null, limit: number): Promise<readonly Webhook[]>
  find(webhookId: string): Promise<Webhook | null>
  /** Stores a webhook. False, and nothing is stored: the organization has `countMax` or more already, or is gone. */
  create(webhook: NewWebhook, countMax: number): Promise<boolean>
  /**
   * Changes what is named and nothing else. Switching one on forgets why it was off and since when it failed.
   * @param version the version that it must still have; null: any
   */
  update(
    webhookId: string,
    settings: Partial<WebhookSettings>,
    version: number | null,
  ): Promise<WebhookChange>
  /** Gives it another secret. The present one, if there is one, signs besides until `previousUntil`. */
  rotate(
    webhookId: string,
    secret: string,
    previousUntil: string,
    version: number | null,
  ): Promise<WebhookChange>
  /** Removes a webhook, and what was still to be told to it. False: there is none. */
  remove(webhookId: string): Promise<boolean>
  /** Replaces a secret by the same one, encrypted under another root secret, unless it has changed meanwhile. */
  replaceSecret(webhookId: string, from: string, to: string): Promise<void>
  /** Switches a webhook off that is on. False: it is off, or gone. */
  switchOff(webhookId: string, reason: OffReason): Promise<boolean>
  /** Deliveries of a webhook that were tried, newest event first, after one of them, at most `limit`. */
  deliveries(
    webhookId: string,
    isUndelivered: boolean,
    after: Position | null,
    limit: number,
  ): Promise<readonly WebhookDelivery[]>
  findDelivery(deliveryId: string): Promise<WebhookDelivery | null>
  /** Puts an event into the outbox for one webhook, due at `now`. False: the webhook is gone. */
  announce(event: WebhookEvent, now: string): Promise<boolean>
  /** Puts deliveries that were tried into the outbox again, with all attempts before them, unless they are worked on. */
  resend(deliveryIds: readonly string[], now: string): Promise<readonly string[]>
}
