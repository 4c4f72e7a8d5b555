import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { Log } from '../../ports/log.ts'
import type { SendResult } from '../../ports/send-result.ts'
import type { Backoff } from '../bounds/backoff.ts'
import { pauseAfter } from '../bounds/backoff.ts'
import { pause } from '../bounds/within.ts'
import { attemptSend, logCause } from './attempt.ts'

/** Attempts at a message whose fate is unknown, when the provider recognises it as the same. */
const BACKOFF: Backoff = { pausesMs: [1_000, 1_000] }
/** A provider that asks for patience gets at least this much, in ms, or it would be asked again without end. */
const PATIENCE_MIN_MS = 1_000

/** What all sends of a request share: the end of the time in which they may begin, and the provider's wish to wait. */
export interface Pace {
  readonly endMs: number
  /** No send begins before this instant. Every send that is asked to wait moves it on, for all sends of the request. */
  notBeforeMs: number
}

/** The outcome for one recipient. */
export type Fate =
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  | { readonly kind: 'failed'; readonly error: string }

/** One message on its way to one recipient. */
export interface Sending {
  /** Names the send in the log. */
  readonly sendId: string
  /** Hands the message over once. */
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
 * Hands one message over, as often as it takes and as its provider allows: it waits when asked to, and repeats what
 * may have been lost, or was accepted without an id, only where that cannot send it twice. Never rejects; no attempt
 * begins after the pace's end.
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

/** A message that was accepted stays accepted, even when asking for its id failed. */
function settled(result: SendResult, before: SendResult | null): SendResult {
  return before?.kind === 'accepted' && result.kind !== 'accepted' ? before : result
}

function isFinal(result: SendResult): boolean {
  return result.kind === 'refused' || (result.kind === 'accepted' && result.providerId !== null)
}

/** Waits until a send may begin; false when that is not before the end. */
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
      return last
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
