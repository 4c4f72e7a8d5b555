import type { Background, Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type {
  SendLog,
  SendRecord,
  SendCapabilities,
  SendResult,
  EmailSender,
  SmsSender,
} from '../../ports/messaging.ts'
import { eachOf, pause, pauseAfter, type Backoff } from '../limits/waiting.ts'
import { randomBase62 } from '../text/encoding.ts'
import type { Recognisable, Recipient } from './request.ts'
import { endedRecord, pendingRecord, UNKNOWN, attemptSend, logCause, type SendIdentity } from './attempt.ts'
import { openRecorder, type Earlier, type Opening } from './recorder.ts'
import type { MailIdentity } from './sender.ts'

/** How many sends run at once: a Worker has six connections. */
const SEND_WIDTH = 6

/** No send of a request begins after this long, in ms, because few callers wait longer. */
export const REQUEST_DURATION_MS = 60_000

const PREFIX_LENGTH = 22

/** What is said of a recipient to whom nothing was sent because the key of the request could not be kept up. */
const NOT_RELEASED =
  'Not sent: this could not be recorded. After ten minutes, the request may be repeated with the same Idempotency-Key.'

/** What is said of a person who was erased after the first request with the same key. */
const ERASED = 'Not sent: the recipient was erased.'

const NOT_KEPT = 'It failed. The reason is kept no longer, because the recipient was erased.'

/** The ports that sending needs. */
export interface SendingWorld {
  readonly sends: SendLog
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
  readonly background: Background
}

/** The ports that the two sends need. */
export interface MessagingWorld extends SendingWorld {
  /** Null: no provider is configured, and nothing can be sent. */
  readonly email: EmailSender | null
  readonly sms: SmsSender | null
  /** The service's own sender domain and name; null together with `email`. */
  readonly mail: MailIdentity | null
}

/** One message to many recipients. */
export interface Mailing {
  /** The organization that sends; null: the operator. */
  readonly organizationId: string | null
  readonly recipients: readonly Recipient[]
  readonly identity: Pick<SendIdentity, 'channel' | 'from'>
  readonly capabilities: SendCapabilities
  /** How a repetition of the request is recognised; null: it carries no idempotency key. */
  readonly recognisable: Recognisable | null
  /** Hands the message over once, for one recipient. The id of the send is its idempotency key. */
  readonly send: (to: string, sendId: string) => Promise<SendResult>
}

/** The result for one entry of `to`. `id` is the provider's id of the message, or else this service's. */
type Outcome =
  | { readonly to: string; readonly success: true; readonly id: string }
  | { readonly to: string; readonly success: false; readonly error: string }

/** The outcomes of all recipients; or why the request is not answered with them. */
type SendAnswer =
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[] }
  | Exclude<Opening, { kind: 'opened' }>

/**
 * Sends to everybody, independently and at most six at once, and records each send before it is handed over, and its
 * outcome afterwards. Outcomes are in the order of the recipients; a recipient who is named twice gets one message. A
 * request that has come before sends nothing again. Continues when the caller has disconnected, as far as the platform
 * allows it. Rejects when the sends cannot be recorded; then nothing was sent.
 */
export async function sendToAll(mailing: Mailing, world: SendingWorld): Promise<SendAnswer> {
  const work = sendAndRecord(mailing, world)
  // The platform ends the work of a request when its caller disconnects, unless the work was registered in the
  // background.
  world.background.run(work.catch(() => undefined))
  return work
}

async function sendAndRecord(mailing: Mailing, world: SendingWorld): Promise<SendAnswer> {
  const { recipients, organizationId, identity, recognisable } = mailing
  const pace: Pace = { endMs: world.clock.nowMs() + REQUEST_DURATION_MS, notBeforeMs: 0 }
  const people = distinct(recipients)
  const sendPrefix = `snd_${randomBase62(PREFIX_LENGTH, (length) => world.random.bytes(length))}`
  const recordsOf = (prefix: string) =>
    people.map((recipient, number) =>
      recordOf(recipient, identityOf(prefix, number, recipient, identity), world),
    )
  const request = { sends: recordsOf(sendPrefix), sendPrefix, recognisable }
  const opening = await openRecorder(world.sends.open(organizationId), request, world)
  if (opening.kind !== 'opened') return opening
  const { recorder, earlier } = opening
  const records = earlier === null ? request.sends : recordsOf(earlier.sendPrefix)
  const endings = records.map((record, number) => {
    const ending = endingBefore(record, number, earlier)
    // A further repetition answers the same, so it is recorded that this one ends here. The recipient stays erased.
    if (ending?.success === false && ending.error === ERASED) recorder.add(endedRecord(record, ending))
    return ending
  })
  await eachOf(records.entries(), SEND_WIDTH, async ([number, record]) => {
    if (endings[number] !== null) return
    if (!(await recorder.mayBegin(number))) {
      endings[number] = { success: false, error: NOT_RELEASED }
      return
    }
    const { sendId } = record
    const isRepeatable = mailing.capabilities.idempotencyMs > 0
    const sending = { sendId, send: () => mailing.send(record.to, sendId), isRepeatable }
    const fate = await handOver(sending, pace, world)
    endings[number] = endingOf(fate, sendId)
    recorder.add(endedRecord(record, fate.kind === 'accepted' ? named(fate, record) : fate))
  })
  await recorder.finish()
  const accepted = endings.filter((ending) => ending?.success).length
  world.log.info('sends_ended', { channel: identity.channel, sends: endings.length, accepted })
  const byKey = new Map(people.map(({ key }, number) => [key, endings[number]]))
  const outcomes = recipients.map(({ key, to }) => {
    const ending = byKey.get(key)
    if (ending == null) throw new Error('A send did not end')
    return { to, ...ending }
  })
  return { kind: 'outcomes', outcomes }
}

type Accepted = Extract<Fate, { kind: 'accepted' }>

type Ending =
  | { readonly success: true; readonly id: string }
  | { readonly success: false; readonly error: string }

/** Each recipient once, in the form of its first occurrence. */
function distinct(recipients: readonly Recipient[]): readonly Recipient[] {
  const byKey = new Map<string, Recipient>()
  for (const recipient of recipients) if (!byKey.has(recipient.key)) byKey.set(recipient.key, recipient)
  return [...byKey.values()]
}

function identityOf(
  prefix: string,
  number: number,
  recipient: Recipient,
  identity: Mailing['identity'],
): SendIdentity {
  const to = recipient.kind === 'reachable' ? recipient.address : recipient.to
  return { ...identity, to, sendId: `${prefix}_${String(number).padStart(3, '0')}` }
}

/** The record of a send before it begins. Who cannot be reached has failed. */
function recordOf(recipient: Recipient, identity: SendIdentity, { clock }: SendingWorld): SendRecord {
  const pending = pendingRecord(identity, clock)
  return recipient.kind === 'reachable' ? pending : endedRecord(pending, recipient)
}

/** How a send ended before this request hands anything over; null: it has yet to be sent. */
function endingBefore(record: SendRecord, number: number, earlier: Earlier | null): Ending | null {
  if (record.error !== null) return { success: false, error: record.error }
  if (earlier === null) return null
  const known = earlier.sends.find(({ sendId }) => sendId === record.sendId)
  switch (known?.outcome) {
    case undefined:
      return { success: false, error: UNKNOWN }
    case 'accepted':
      return { success: true, id: known.providerId ?? known.sendId }
    case 'failed':
      return { success: false, error: known.error ?? NOT_KEPT }
    case 'pending':
      if (number < earlier.released) return { success: false, error: UNKNOWN }
      return known.to === record.to ? null : { success: false, error: ERASED }
  }
}

/** The end of a send. When a provider accepted a message without an id, the idempotency key takes its place. */
function endingOf(fate: Fate, sendId: string): Ending {
  return fate.kind === 'accepted'
    ? { success: true, id: fate.providerId ?? sendId }
    : { success: false, error: fate.error }
}

/**
 * The id under which a send is recorded: for an email the one that its caller gets, for a text message the provider's,
 * because its caller gets none.
 */
function named({ providerId }: Accepted, { channel, sendId }: SendIdentity) {
  return { providerId: channel === 'email' ? (providerId ?? sendId) : providerId }
}

/** Attempts at a message with an unknown outcome, when the provider recognises repetitions. */
const BACKOFF: Backoff = { pausesMs: [1_000, 1_000] }

/**
 * The minimum pause when a provider asks to wait, in ms. Without it, a provider that asks for no time would be called
 * without pause.
 */
const PATIENCE_MIN_MS = 1_000

/** Shared by all sends of a request: when the last send may begin, and for how long the provider asked to wait. */
export interface Pace {
  readonly endMs: number
  /**
   * No send begins before this time. Each send that is asked to wait moves it forward, for all sends of the request.
   */
  notBeforeMs: number
}

/** The outcome for one recipient. */
type Fate =
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  | { readonly kind: 'failed'; readonly error: string }

/** One message to one recipient. */
interface Sending {
  /** The id of the send in the log. */
  readonly sendId: string
  /** Hands the message to the provider once. */
  readonly send: () => Promise<SendResult>
  /** Whether the provider recognises a message that is handed over again. */
  readonly isRepeatable: boolean
}

interface HandOverWorld {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/**
 * Hands one message over, in as many attempts as it takes and the provider allows. It waits when asked to. It repeats
 * an attempt whose outcome is unknown, or that was accepted without an id, only where that cannot send the message
 * twice. Never rejects; no attempt begins after the end of the pace.
 */
export async function handOver(
  { sendId, send, isRepeatable }: Sending,
  pace: Pace,
  world: HandOverWorld,
): Promise<Fate> {
  let last: SendResult | null = null
  let isUncertain = false
  let earliestMs = 0
  for (let counted = 0; await isTurn(earliestMs, pace, world);) {
    last = settled(await attemptSend(send, world), last)
    if (isThrottled(last)) {
      if (last.retryAfterMs === null) break
      const untilMs = world.clock.nowMs() + Math.max(last.retryAfterMs, PATIENCE_MIN_MS)
      pace.notBeforeMs = Math.max(pace.notBeforeMs, untilMs)
      continue
    }
    isUncertain = last.kind === 'unavailable'
    counted += 1
    const pauseMs = pauseAfter(BACKOFF, counted)
    if (isFinal(last) || !isRepeatable || pauseMs === null) break
    earliestMs = world.clock.nowMs() + pauseMs
  }
  if (last === null) return failed(notBegun(pace))
  logCause(last, sendId, world.log)
  return fateOf(last, isUncertain)
}

type Throttled = Extract<SendResult, { kind: 'unavailable' }> & { readonly throttled: true }

function isThrottled(result: SendResult): result is Throttled {
  return result.kind === 'unavailable' && result.throttled
}

/** A message that was accepted stays accepted, even when a repetition to learn its id fails. */
function settled(result: SendResult, before: SendResult | null): SendResult {
  return before?.kind === 'accepted' && result.kind !== 'accepted' ? before : result
}

function isFinal(result: SendResult): boolean {
  return result.kind === 'refused' || (result.kind === 'accepted' && result.providerId !== null)
}

/** Waits until a send may begin. False: that is not before the end of the pace. */
async function isTurn(earliestMs: number, pace: Pace, { clock, deadline }: HandOverWorld): Promise<boolean> {
  for (;;) {
    const nowMs = clock.nowMs()
    const fromMs = Math.max(earliestMs, pace.notBeforeMs)
    if (Math.max(nowMs, fromMs) >= pace.endMs) return false
    if (nowMs >= fromMs) return true
    await pause(deadline, fromMs - nowMs)
  }
}

function notBegun({ notBeforeMs, endMs }: Pace): string {
  return notBeforeMs >= endMs
    ? 'Not sent: the provider asked to wait for longer than this request may take.'
    : 'Not sent: the time for this request was over.'
}

function fateOf(last: SendResult, isUncertain: boolean): Fate {
  switch (last.kind) {
    case 'accepted':
      return { kind: 'accepted', providerId: last.providerId }
    case 'refused':
      return failed(last.reason)
    case 'unavailable':
      return failed(
        `${last.reason} ${isUncertain ? 'The message may or may not have been sent.' : 'Not sent.'}`,
      )
  }
}

function failed(error: string): Fate {
  return { kind: 'failed', error }
}
