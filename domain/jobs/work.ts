import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type {
  Alert,
  EmailSender,
  SmsSender,
  SendRecord,
  EmailMessage,
  SendResult,
  SmsMessage,
} from '../../ports/messaging.ts'
import type {
  Settlement,
  ClaimedEntry,
  OutboxStore,
  TenantOutbox,
  DeliveryAttempt,
  TenantWebhooks,
} from '../../ports/outbox.ts'
import type { TenantWriter } from '../../ports/records.ts'
import type { People } from '../../ports/operators.ts'
import type { Secrets } from '../access/secrets.ts'
import type { Resource } from '../record/resource.ts'
import { formatMailbox, type MailIdentity } from '../messaging/sender.ts'
import { WEBHOOK_DELIVERY } from '../forms/outbox.ts'
import { type Backoff, within } from '../limits/waiting.ts'
import { toInstant } from '../text/instant.ts'
import { attemptSend, endedRecord, logCause, pendingRecord, smsIdentity } from '../messaging/attempt.ts'

/** The ports that work on the outbox needs. */
export interface JobWorld {
  readonly outbox: OutboxStore
  /** Null: no provider is configured, and entries that need one wait. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own sender domain and name; null together with `email`. */
  readonly mail: MailIdentity | null
  readonly hooks: HookWorld
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

/** The ports that telling webhooks needs. */
export interface HookWorld {
  /** Opens the webhooks of an organization. */
  readonly webhooks: (organizationId: string) => TenantWebhooks
  /** Opens an organization for reading what it is told of. */
  readonly tenant: (organizationId: string) => Pick<TenantWriter, 'findMany'>
  /** Of which rows an event tells; undefined: there is no such event. */
  readonly resourceOf: (event: string) => Resource | undefined
  readonly secrets: () => Promise<Secrets>
  /** Sends a request. Rejects when there is no answer, or when the signal in `init` ends it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Who is told of what fails. */
  readonly people: Pick<People, 'answerable'>
  /** Whether the service runs on a developer's machine, where loopback addresses are receivers too. */
  readonly isLocal: boolean
}

/** An entry of the outbox that a worker has claimed, and what doing its work takes. */
export interface Job {
  readonly entry: ClaimedEntry
  /** Proves to the outbox that this worker still holds the entry. */
  readonly token: string
  readonly outbox: TenantOutbox
  readonly world: JobWorld
}

/**
 * How long a claimed entry belongs to its worker, in ms. That is longer than a storage call, a send and another storage
 * call may take together, and short enough that after a crash one of the next two sweeps takes the entry up.
 */
export const ENTRY_LEASE_MS = 45_000

/**
 * Attempts at an outbox entry before it is left to the operator: eight within 21 hours. An email provider recognises an
 * idempotency key for 24 hours, so no automatic attempt can send a second copy. For the same reason the spread only
 * shortens pauses.
 */
export const BACKOFF: Backoff = {
  pausesMs: [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000],
  spread: { least: 0.75, most: 1 },
}

const HOUR_MS = 3_600_000

/** When a webhook that failed is tried again: ten attempts within about three days. */
export const WEBHOOK_BACKOFF: Backoff = {
  pausesMs: [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)],
}

/** When an entry of a kind is tried again, whatever went wrong. */
export function backoffOf(kind: string): Backoff {
  return kind === WEBHOOK_DELIVERY ? WEBHOOK_BACKOFF : BACKOFF
}

/** The end of a lease that begins, or is renewed, now. */
export function leaseEnd(nowMs: number): string {
  return toInstant(nowMs + ENTRY_LEASE_MS)
}

/** Longest wait for one storage call, in ms. */
const STORAGE_TIMEOUT_MS = 10_000

/** Waits for a storage call, but not for ever, so that one that hangs does not block everything else. */
export function inTime<Answer>(
  call: Promise<Answer>,
  { deadline }: Pick<JobWorld, 'deadline'>,
): Promise<Answer> {
  return within(deadline, STORAGE_TIMEOUT_MS, call)
}

/** The result of one attempt at an entry. Reasons are for the operator: short, and without personal data. */
export type Verdict =
  | (Extract<Settlement, { readonly kind: 'done' }> & { readonly alert?: Alert })
  /** A webhook is to be told again at `at`. The attempt counts. */
  | {
      readonly kind: 'again'
      readonly reason: string
      /** The UTC instant of the next attempt. */
      readonly at: string
      readonly delivery: DeliveryAttempt
    }
  /** Another attempt cannot help. */
  | { readonly kind: 'failed'; readonly reason: string; readonly sends: readonly SendRecord[] }
  /** Another attempt may help. */
  | {
      readonly kind: 'unavailable'
      readonly reason: string
      /** Whether this counts among the entry's attempts. False: nothing was wrong with the entry. */
      readonly counted: boolean
      /** The minimum time until the next attempt, in ms. */
      readonly retryAfterMs: number
      /** The record of the send, which was not accepted; null: nothing was handed over. */
      readonly send: SendRecord | null
      /** Further sends of the attempt that have ended; left out: there are none. */
      readonly others?: readonly SendRecord[]
    }
  /** The message is over a bound of automations. */
  | {
      readonly kind: 'waiting'
      readonly reason: string
      /** The UTC instant since which it waits. */
      readonly since: string
      /** The UTC instant of the next attempt. */
      readonly until: string
    }
  /** Another worker has taken the entry over. */
  | { readonly kind: 'lost' }

/** A verdict for an entry that another attempt cannot help. Nothing was sent. */
export function hopeless(reason: string): Verdict {
  return { kind: 'failed', reason, sends: [] }
}

/** The verdict for an entry whose payload does not have the form of its kind. */
export const malformedEntry = hopeless('The entry is malformed.')

type Channel = 'email' | 'SMS'

/** How the reason of an entry ends that needs a provider when there is none. */
export const providerless: Readonly<Record<Channel, string>> = {
  email: 'No email provider is configured.',
  SMS: 'No SMS provider is configured.',
}

/** The verdicts for an entry that needs a provider when there is none: nothing is wrong with it, so it waits. */
export const noEmailProvider = withoutProvider('email')
export const noSmsProvider = withoutProvider('SMS')

function withoutProvider(channel: Channel): Verdict {
  const reason = providerless[channel]
  return { kind: 'unavailable', reason, counted: false, retryAfterMs: 10 * 60_000, send: null }
}

/** The minimum pause after a provider asked to wait, in ms. */
const THROTTLED_MS = 60_000
/** The maximum pause after a provider asked to wait, in ms. */
const WAIT_MAX_MS = 6 * 3_600_000

/** A message that is ready to be handed over, once it is recorded. */
export interface PreparedSend {
  /** Its record, which must be written before. */
  readonly pending: SendRecord
  /** Hands it over, and returns the verdict for the entry. */
  readonly attempt: () => Promise<Verdict>
}

/**
 * Prepares one email. The key is also the id under which the send is recorded. When the provider refuses an email, it is
 * sent once more without its reply address, which a visitor may have mistyped. For the provider that is another email,
 * so it has its own key. When all this is repeated after a crash, the first email is refused again, and the provider
 * recognises the second.
 */
export function prepareEmail(
  message: EmailMessage,
  key: string,
  email: EmailSender,
  { entry, world }: Job,
): PreparedSend {
  const { to, replyTo } = message
  const recorded = { organizationId: entry.organization.organizationId, sendId: key }
  const identity = { channel: 'email', from: formatMailbox(message.from), to, sendId: key } as const
  const pending = pendingRecord(identity, world.clock)
  return {
    pending,
    async attempt() {
      const result = await attemptSend(() => email.send(message, key, recorded), world)
      if (result.kind !== 'refused' || replyTo === null) return verdictOf(result, pending, world)
      const withoutReplies = { ...message, replyTo: null }
      const secondKey = `${key}-without-reply-to`
      const second = await attemptSend(() => email.send(withoutReplies, secondKey, recorded), world)
      return verdictOf(second, pending, world)
    },
  }
}

/** Prepares one text message; see `prepareEmail`. */
export function prepareSms(message: SmsMessage, key: string, sms: SmsSender, world: JobWorld): PreparedSend {
  const pending = pendingRecord({ ...smsIdentity(message, sms), to: message.to, sendId: key }, world.clock)
  return {
    pending,
    attempt: async () => verdictOf(await attemptSend(() => sms.send(message, key), world), pending, world),
  }
}

function verdictOf(result: SendResult, pending: SendRecord, { log }: JobWorld): Verdict {
  logCause(result, pending.sendId, log)
  switch (result.kind) {
    case 'accepted':
      return { kind: 'done', sends: [endedRecord(pending, result)] }
    case 'refused': {
      const { reason } = result
      return { kind: 'failed', reason, sends: [endedRecord(pending, { error: reason })] }
    }
    case 'unavailable': {
      const { reason, throttled, retryAfterMs } = result
      const askedMs = Math.min(retryAfterMs ?? 0, WAIT_MAX_MS)
      const waitMs = throttled ? Math.max(askedMs, THROTTLED_MS) : askedMs
      const send = endedRecord(pending, { error: reason })
      return { kind: 'unavailable', reason, counted: !throttled, retryAfterMs: waitMs, send }
    }
  }
}
