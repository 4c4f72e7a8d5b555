import type { EmailSender } from '../../../ports/messaging/email-sender.ts'
import type { SendResult } from '../../../ports/messaging/send-result.ts'
import type { SmsSender } from '../../../ports/messaging/sms-sender.ts'
import type { Process } from './process.ts'
import type { Universe } from './universe.ts'

/** A message that reached its recipient. */
export interface Delivered {
  readonly key: string
  readonly to: string
  /** The subject of an email, the text of an SMS. */
  readonly title: string
  /** The whole text, if there is one. */
  readonly text: string
  readonly atMs: number
}

/** A provider of email or SMS. It outlives every process. */
export interface SimulatedProvider<Sender> {
  readonly delivered: readonly Delivered[]
  senderOf(process: Process): Sender
}

type Letter = Omit<Delivered, 'atMs'> & { readonly isRefused: boolean }

const DAY_MS = 86_400_000
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
  const { delivered, handOver } = createHandOver('email', DAY_MS, universe)
  return {
    delivered,
    senderOf: (process) => ({
      capabilities: { idempotencyMs: DAY_MS },
      send: ({ to, subject, text, replyTo }, key) =>
        handOver(process, {
          key,
          to,
          title: subject,
          text: text ?? '',
          isRefused: replyTo?.endsWith('.invalid') ?? false,
        }),
    }),
  }
}

/** An SMS provider that behaves like Twilio: it delivers a message twice when it gets it twice. */
export function createSmsProvider(universe: Universe): SimulatedProvider<SmsSender> {
  const { delivered, handOver } = createHandOver('sms', 0, universe)
  return {
    delivered,
    senderOf: (process) => ({
      capabilities: { idempotencyMs: 0 },
      shortcode: '12345',
      send: ({ to, body }, key) => handOver(process, { key, to, title: body, text: body, isRefused: false }),
    }),
  }
}

function createHandOver(channel: 'email' | 'sms', idempotencyMs: number, universe: Universe) {
  const { decide, faults, scheduler, trace } = universe
  const delivered: Delivered[] = []
  const known = new Map<string, { readonly id: string; readonly atMs: number }>()
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
  const take = ({ isRefused, ...letter }: Letter): SendResult => {
    if (isDown() || faults.strikes('providerBroken', channel))
      return unavailable('The provider answered with status 500.')
    if (faults.strikes('providerThrottled', channel))
      return unavailable(
        'The provider asked for patience.',
        decide.pick(`${channel} asks for patience`, [null, 1_000, 90_000, 3_600_000]),
        true,
      )
    if (isRefused) return { kind: 'refused', reason: 'The provider refused the message.' }
    const nowMs = scheduler.nowMs()
    const before = known.get(letter.key)
    if (before !== undefined && nowMs - before.atMs < idempotencyMs)
      return { kind: 'accepted', providerId: before.id }
    const id = `${channel}-${delivered.length + 1}`
    delivered.push({ ...letter, atMs: nowMs })
    known.set(letter.key, { id, atMs: nowMs })
    return { kind: 'accepted', providerId: id }
  }
  const handOver = (process: Process, letter: Letter): Promise<SendResult> =>
    new Promise((resolve) => {
      const end = underWay(letter.key, process)
      let isAnswered = false
      const answer = (result: SendResult) => {
        isAnswered = true
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
  return { delivered, handOver }
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
    const [, entryId = '', , step = null] = ENTRY.exec(key) ?? []
    if (entryId === '') return true
    const [row] = stored.look(
      `select r.current_step from outbox as b left join automation_runs as r
        on r.organization_id = b.organization_id and r.run_id = b.outbox_id where b.outbox_id = ?`,
      entryId,
    )
    return row !== undefined && (step === null || row.current_step === Number(step))
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

/** Matches the idempotency key of work from the outbox: the entry's id, and for a run also the number of the step. */
const ENTRY = /^(obx_\w+|run_sub_\w+?_\d+)(-(\d+))?(?:-|$)/
