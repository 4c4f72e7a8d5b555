import type { FormDefinition, OutboxEntry } from './records.ts'
import type { Organization } from './organizations.ts'
import type { DeliveryAttempt, DeliveryStatus, Webhook } from './webhooks.ts'

/** Whether, and for how long, a provider recognises a message that is sent again. */
export interface SendCapabilities {
  /**
   * For how many ms the provider honours an idempotency key; 0: it has none, so a message that is repeated after an
   * unknown outcome may arrive twice.
   */
  readonly idempotencyMs: number
}

/** The result of handing over one message. Reasons are short and in this service's words, never the provider's. */
export type SendResult = SendOutcome & {
  /**
   * What was caught, or why the provider's answer could not be read. For the operator's log alone, which prints its
   * name and place and never its message.
   */
  readonly cause?: unknown
}

type SendOutcome =
  /**
   * The provider accepted the message. `providerId` is null when the provider recognised a repetition and does not
   * repeat the id.
   */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /** The provider will never accept this message. */
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * The provider may accept the message later; after a lost connection it may have accepted it already. `throttled`:
   * the provider asked to wait, or refused the account, so the message itself is not at fault.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      readonly throttled: boolean
      /** How long the provider asked to wait, in ms; null: it did not say. */
      readonly retryAfterMs: number | null
    }

/** The sender of a text message: a number of the tenant's own (E.164), or the short code that all tenants share. */
export type SmsOrigin = { readonly kind: 'number'; readonly number: string } | { readonly kind: 'shortcode' }

/** One text message to one recipient. */
export interface SmsMessage {
  readonly from: SmsOrigin
  /** E.164. */
  readonly to: string
  readonly body: string
  /** http(s) URLs that the provider fetches. With at least one, the message is an MMS. */
  readonly mediaUrls: readonly string[]
}

/** Sends SMS and MMS. */
export interface SmsSender {
  readonly capabilities: SendCapabilities
  /** The short code, or what replaces it, as it is recorded with sends. */
  readonly shortcode: string
  /** Hands one message to the provider. Never rejects, and resolves within a bounded time; see `EmailSender`. */
  send(message: SmsMessage, idempotencyKey: string): Promise<SendResult>
}

/** An email address with its display name. */
export interface Mailbox {
  /** Without control characters; null: there is no display name. */
  readonly name: string | null
  readonly address: string
}

/** An attachment: its content in base64, or the URL from which the provider fetches it. */
export type EmailAttachment =
  | { readonly filename: string; readonly path: string }
  | { readonly filename: string; readonly content: string }

/** One email to one recipient. */
export interface EmailMessage {
  readonly from: Mailbox
  readonly to: string
  readonly subject: string
  readonly html: string
  /** Plain text; null: the provider derives it from the HTML, or sends none. */
  readonly text: string | null
  readonly replyTo: string | null
  readonly attachments: readonly EmailAttachment[]
  /** Whether no person wrote it. It then carries the header `Auto-Submitted: auto-generated` (RFC 3834, section 5). */
  readonly isAutomatic: boolean
}

/** Sends email. */
export interface EmailSender {
  readonly capabilities: SendCapabilities
  /**
   * Hands one email to the provider. Never rejects, and resolves within a bounded time, whatever the provider does.
   * @param idempotencyKey at most 256 characters; it stays the same when the same message is tried again
   * @param recorded under what the email is recorded, which the provider repeats in what it tells of it later; null: it is not
   */
  send(message: EmailMessage, idempotencyKey: string, recorded: SendRef | null): Promise<SendResult>
}

/** Identifies one send of the service. */
export interface SendRef extends Pick<SendRecord, 'sendId'> {
  /** The organization that sent; null: the operator. */
  readonly organizationId: string | null
}

/** One message to one recipient, with its outcome. */
export interface SendRecord {
  /** Identifies the send within its organization. It stays the same when the send is tried again. */
  readonly sendId: string
  readonly channel: 'sms' | 'mms' | 'email'
  /** The sender as the recipient sees it: an address with its display name, a number or a short code. */
  readonly from: string
  readonly to: string
  /** The provider's id of the message; null when there is none or it is unknown. */
  readonly providerId: string | null
  /** `pending`: the message is about to be handed over, or was handed over and its outcome is not recorded yet. */
  readonly outcome: 'pending' | 'accepted' | 'failed'
  /** Why it failed, in a few words; null when it did not. */
  readonly error: string | null
  /** The UTC instant from which it might be handed over. */
  readonly at: string
}

/** Where a list continues: after this send. */
export type SendPosition = Pick<SendRecord, 'at' | 'sendId'>

/** A request to send that carries an idempotency key. */
export interface KeyedRequest {
  /** Identifies the key and its endpoint within the organization. */
  readonly requestKey: string
  /** Equal for equal requests. */
  readonly bodyHash: string
  /** What the ids of its sends begin with: `_` and the number of the send, three digits from 000, follow. Random. */
  readonly sendPrefix: string
  /** The UTC instant from which another request may take over what this one has not ended. */
  readonly busyUntil: string
  /** The UTC instant from which the key is free. */
  readonly expiresAt: string
  /** The sends with a lower number may be handed over at once. */
  readonly released: number
}

/** The first request with a key that has come again. */
export interface KnownRequest extends Omit<KeyedRequest, 'requestKey' | 'expiresAt'> {
  /** The prefix of the request that may hand its messages over: its own, or that of one which has taken over. */
  readonly holder: string
  /** Whether it has recorded all outcomes. */
  readonly isEnded: boolean
}

/** What became of a request's attempt to take its key. */
export type Claim =
  /** The key was free, and is taken. The sends are recorded. */
  | { readonly kind: 'taken' }
  /** The organization is being deleted. Nothing was recorded. */
  | { readonly kind: 'gone' }
  /**
   * The key has come before, and these sends are not recorded. When the first request was cut off (it has not ended,
   * `busyUntil` is over, and the body is the same), the present one has become its holder, and those of its sends that
   * were not released are pending anew.
   */
  | {
      readonly kind: 'known'
      readonly request: KnownRequest
      /** The sends of the first request, in the order of their numbers; none while it is busy or has another body. */
      readonly sends: readonly SendRecord[]
    }

/** How far a request with a key has come. */
export interface SendProgress extends Pick<KeyedRequest, 'requestKey' | 'released'> {
  /** The prefix of the request that reports this, which must still be the holder. */
  readonly holder: string
  readonly isEnded: boolean
}

/** The news that an email did not arrive that the provider had accepted. */
export interface ReturnedEmail {
  /** Under what the email is recorded; null: the news does not say so. */
  readonly recorded: SendRef | null
  /** The provider's id of the email. */
  readonly providerId: string
  /** Why it did not arrive, in this service's words. */
  readonly error: string
}

/** What became of the news that an email did not arrive. */
export interface ReturnTaken {
  /** Whether the send was an accepted one, and is recorded as failed now. */
  readonly isRecorded: boolean
  /** The UTC instant since which the send has been pending, so that the news should come again; null: it is not. */
  readonly pendingSince: string | null
}

/** The sends of one organization, or the operator's own. */
export interface TenantSendLog {
  /**
   * Records sends as they are, in one atomic step. An earlier record of a send is replaced, except that what the provider
   * accepted stays as it is. False: the organization is being deleted, and nothing was recorded.
   */
  record(sends: readonly SendRecord[]): Promise<boolean>
  /**
   * Takes the key of a request, if it is free, and records its sends, in one atomic step. May be repeated with the same
   * prefix, for example when the answer was lost.
   */
  claim(sends: readonly SendRecord[], request: KeyedRequest, now: string): Promise<Claim>
  /**
   * Records how sends ended, and how far their request has come, in one atomic step. Of a send that is recorded already,
   * only the outcome, the error and the provider's id change, and what the provider accepted stays as it is.
   * @param progress null: the request carries no key
   * @returns false: the request no longer holds its key. Nothing more was released, but the outcomes are recorded.
   */
  end(sends: readonly SendRecord[], progress: SendProgress | null): Promise<boolean>
  /**
   * Records that an email did not arrive that the provider had accepted, in one atomic step: it has failed. Any other send
   * stays as it is: one of another outcome, or that is known to be another email of the provider.
   * @param alert to be sent about it if it is recorded; null: nothing
   */
  takeReturn(
    email: Pick<SendRef, 'sendId'> & Omit<ReturnedEmail, 'recorded'>,
    alert: Alert | null,
    now: string,
  ): Promise<ReturnTaken>
  /** Sends, newest first, starting after `after` (null: at the newest), at most `limit`. */
  list(after: SendPosition | null, limit: number): Promise<readonly SendRecord[]>
  /** The messages that followed a submission: its notifications, and those of its runs. At most `limit`. */
  ofSubmission(submissionId: string, limit: number): Promise<readonly SendRecord[]>
}

/** The log of sends, for operators. */
export interface SendLog {
  /** Opens the log of an organization, or of the operator's own sends for null. No I/O. */
  open(organizationId: string | null): TenantSendLog
}

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
export interface ClaimedSubmission {
  readonly submissionId: string
  readonly formId: string
  readonly answers: Readonly<Record<string, unknown>>
  /** What the visitor typed, by field id, where the answer does not say all of it; null: it does everywhere. */
  readonly typed: Readonly<Record<string, string>> | null
  /** What was sent besides, by name: see `domain/resources/form-submissions.ts`; null: nothing. */
  readonly extra: Readonly<Record<string, string>> | null
  readonly submittedAt: string
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

/** An email to whoever answers for an organization, about something that failed there. */
export interface Alert {
  /** The id of its entry in the outbox. One that waits, or from which something was sent, is not written again. */
  readonly outboxId: string
  /** The submission whose form it is about; left out: the payload says what it is about. */
  readonly submissionId?: string
  /** What it says, without personal data. */
  readonly payload: Readonly<Record<string, string>>
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
      /** As for `done`. */
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
      /** As for `done`. */
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

/** Where a list of entries continues: after this entry. */
export type OutboxPosition = Pick<ListedEntry, 'createdAt' | 'outboxId'>

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
  list(
    organizationId: string | null,
    after: OutboxPosition | null,
    limit: number,
  ): Promise<readonly ListedEntry[]>
  /** What waits and failed of each of these organizations that is there, by their id. */
  summaries(organizationIds: readonly string[], scope: SummaryScope): Promise<readonly OutboxSummary[]>
  /** Waiting and failed entries that follow a submission, oldest first. */
  ofSubmission(organizationId: string, submissionId: string): Promise<readonly ListedEntry[]>
  /** The organization of a waiting or failed entry; null: there is no such entry. */
  ownerOf(outboxId: string): Promise<string | null>
  /**
   * Makes an entry pending and due at `now`, and resets its attempts to zero, unless a worker holds a lease on it. A
   * `now` that is ahead of the store's own time does not delay the entry.
   */
  redrive(outboxId: string, now: string): Promise<'driven' | 'leased' | 'missing'>
}
