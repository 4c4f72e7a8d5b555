import { formatMailbox } from '../../../domain/messaging/sender.ts'
import type { EmailSender, SendResult, SmsSender } from '../../../ports/messaging.ts'
import { createHandOverRecord, entryOf, type Delivered, type HandedOver } from './processes/handed-over.ts'
import type { Process } from './processes/process.ts'
import type { Universe } from './universe.ts'

/** A provider of email or SMS. It outlives every process. */
export interface SimulatedProvider<Sender> {
  readonly handedOver: HandedOver
  senderOf(process: Process): Sender
}

type Letter = Omit<Delivered, 'id' | 'atMs'> & {
  readonly isRefused: boolean
  /** The whole message, as one text. */
  readonly body: string
}

const DAY_MS = 86_400_000
const SHORTCODE = '12345'
/** How long the sender waits for an answer, in ms. */
const TIMEOUT_MS = 10_000
const LATENCY_MAX_MS = 40
const SLOW_MAX_MS = 40_000
const DOWN_MAX_MS = 3 * 3_600_000

/**
 * An email provider that behaves like Resend: it recognises an idempotency key for a day, and refuses addresses that do
 * not exist.
 */
export function createEmailProvider(universe: Universe): SimulatedProvider<EmailSender> {
  const { record, handOver } = createHandOver('email', DAY_MS, universe)
  return {
    handedOver: record,
    senderOf: (process) => ({
      capabilities: { idempotencyMs: DAY_MS },
      send: (message, key) => {
        const { from, to, subject, text, replyTo } = message
        const isRefused = replyTo?.endsWith('.invalid') ?? false
        const letter = { key, from: formatMailbox(from), to, title: subject, text: text ?? '', isRefused }
        return handOver(process, { ...letter, body: JSON.stringify(message) })
      },
    }),
  }
}

/** An SMS provider that behaves like Twilio: it delivers a message twice when it gets it twice. */
export function createSmsProvider(universe: Universe): SimulatedProvider<SmsSender> {
  const { record, handOver } = createHandOver('sms', 0, universe)
  return {
    handedOver: record,
    senderOf: (process) => ({
      capabilities: { idempotencyMs: 0 },
      shortcode: SHORTCODE,
      send: ({ from, to, body }, key) => {
        const sender = from.kind === 'number' ? from.number : SHORTCODE
        return handOver(process, { key, from: sender, to, title: body, text: body, body, isRefused: false })
      },
    }),
  }
}

/** A message that the provider has accepted. */
interface Known {
  readonly id: string
  readonly body: string
  readonly atMs: number
}

/**
 * The body of a message without what operators may change between two attempts: the name of the form, and the sender's
 * address, which is the slug of a founded organization.
 */
function withoutForm(body: string): string {
  return body.replaceAll(/Form of-\w+ v\d+/g, 'the form').replaceAll(/(delta|echo)\d@/g, '$1@')
}

function createHandOver(channel: 'email' | 'sms', idempotencyMs: number, universe: Universe) {
  const { decide, faults, scheduler, trace, happened, violated } = universe
  const record = createHandOverRecord()
  const known = new Map<string, Known>()
  const underWay = createUnderWay(universe)
  let downUntilMs = 0

  const unavailable = (
    reason: string,
    retryAfterMs: number | null = null,
    throttled = false,
  ): SendResult => ({
    kind: 'unavailable',
    reason,
    throttled,
    retryAfterMs,
  })
  const isDown = (): boolean => {
    if (faults.neverMended === channel) return true
    if (faults.strikes('providerDown', channel))
      downUntilMs = scheduler.nowMs() + decide.delayMs(`${channel} is down`, DOWN_MAX_MS)
    return !faults.isMended() && scheduler.nowMs() < downUntilMs
  }
  /** Handles a message that arrives at the provider, and returns the answer. */
  const take = ({ isRefused, body, ...letter }: Letter): SendResult => {
    if (isDown() || faults.strikes('providerBroken', channel))
      return unavailable(
        'The provider answered with status 500.',
        decide.pick(`${channel} names a time`, [null, null, 45_000, 400_000]),
      )
    if (faults.strikes('providerThrottled', channel))
      return unavailable(
        'The provider asked for patience.',
        decide.pick(`${channel} asks for patience`, [null, 1_000, 90_000, 3_600_000]),
        true,
      )
    if (isRefused) return { kind: 'refused', reason: 'The provider refused the message.' }
    const nowMs = scheduler.nowMs()
    const before = known.get(letter.key)
    if (before !== undefined && nowMs - before.atMs < idempotencyMs) {
      happened('a provider recognises a message')
      if (before.body === body) return { kind: 'accepted', providerId: before.id }
      // The text of a notification shows the form as it is at the time of the attempt.
      if (withoutForm(before.body) !== withoutForm(body))
        violated('a message is repeated as it was', `${letter.key}: ${before.body}, then ${body}`)
      return { kind: 'accepted', providerId: null }
    }
    if (before !== undefined) happened('a message is handed over again')
    const id = `${channel}-${record.delivered.length + 1}`
    record.deliver({ ...letter, id, atMs: nowMs })
    known.set(letter.key, { id, body, atMs: nowMs })
    return { kind: 'accepted', providerId: id }
  }
  const handOver = (process: Process, letter: Letter): Promise<SendResult> =>
    new Promise((resolve) => {
      const end = underWay(letter.key, process)
      let isAnswered = false
      const answer = (result: SendResult) => {
        isAnswered = true
        record.answered(letter.key, { result, atMs: scheduler.nowMs() })
        end()
        resolve(result)
      }
      const where = `${channel} for ${process.name}`
      const latencyMs = () => 1 + decide.delayMs(`latency of ${where}`, LATENCY_MAX_MS)
      const slowMs = faults.strikes('providerSlow', where)
        ? decide.delayMs(`${where} is slow`, SLOW_MAX_MS)
        : 0
      scheduler.schedule(latencyMs() + slowMs, () => {
        const result = take(letter)
        const isLost = faults.strikes('providerLost', where)
        trace.say(
          channel,
          `${process.name}: ${letter.key} to ${letter.to}: ${wordsFor(result)}${isLost ? ', and the answer is lost' : ''}`,
        )
        if (!isLost)
          scheduler.schedule(
            latencyMs(),
            () => {
              if (!isAnswered) answer(result)
            },
            process,
          )
      })
      const waiting = {
        get isAlive() {
          return process.isAlive && !isAnswered
        },
      }
      scheduler.schedule(
        TIMEOUT_MS,
        () => {
          answer(unavailable('The provider did not answer.'))
        },
        waiting,
      )
    })
  return { record, handOver }
}

function wordsFor(result: SendResult): string {
  return result.kind === 'unavailable' ? result.reason : result.kind
}

/**
 * Checks that a worker only hands over messages that are still to be sent, and that no other worker does so at the same
 * time.
 */
function createUnderWay({ violated, stored }: Universe): (key: string, process: Process) => () => void {
  const workers = new Map<string, Process>()
  const isOpen = (key: string): boolean => {
    const entry = entryOf(key)
    if (entry === null) return true
    const { outboxId, step } = entry
    const owner = stored.organizationIds().find((id) => stored.rowOf(id, 'outbox', outboxId) !== undefined)
    if (owner === undefined) return false
    return step === null || stored.rowOf(owner, 'automation_runs', outboxId)?.current_step === step
  }
  return (key, process) => {
    const other = workers.get(key)
    if (other?.isAlive === true)
      violated('an entry has one worker at a time', `${key}: ${other.name} and ${process.name}`)
    if (!isOpen(key)) violated('what is done is not done again', `${key} by ${process.name}`)
    workers.set(key, process)
    return () => {
      if (workers.get(key) === process) workers.delete(key)
    }
  }
}
