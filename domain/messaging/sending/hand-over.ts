import type { Clock, Deadline, Log } from '../../../ports/platform.ts'
import type { SendResult } from '../../../ports/messaging.ts'
import { pauseAfter, type Backoff } from '../../bounds/backoff.ts'
import { pause } from '../../bounds/within.ts'
import { attemptSend, logCause } from './attempt.ts'

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
export type Fate =
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  | { readonly kind: 'failed'; readonly error: string }

/** One message to one recipient. */
export interface Sending {
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
