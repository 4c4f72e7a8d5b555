import type { Position } from './records.ts'

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
  list(after: Position | null, limit: number): Promise<readonly SendRecord[]>
  /** The messages that followed a submission: its notifications, and those of its runs. At most `limit`. */
  ofSubmission(submissionId: string, limit: number): Promise<readonly SendRecord[]>
}

/** The log of sends, for operators. */
export interface SendLog {
  /** Opens the log of an organization, or of the operator's own sends for null. No I/O. */
  open(organizationId: string | null): TenantSendLog
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
