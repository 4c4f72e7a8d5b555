import type { InstantRange } from '../../ports/analytics.ts'
import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { ReasonCount, ReasonCounts, TenantExitSurvey } from '../../ports/sources.ts'
import { drawFrom, pauseAfter, type Backoff } from '../bounds/backoff.ts'
import { pause, within } from '../bounds/within.ts'

/** Two pauses, so three attempts. */
const BACKOFF: Backoff = { pausesMs: [200, 400], spread: { least: 0.5, most: 1 } }
/** An attempt that takes longer is cancelled. */
const TRY_MS = 4_000
/** No attempt begins after this time, and a running one is ended. */
const TOTAL_MS = 9_000

/** The ports and times on which asking depends. */
export interface Patience {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

/**
 * Asks the survey's source up to three times, with pauses between the attempts and a limit on the total time. Never
 * rejects.
 * @returns null: no attempt succeeded. The log has a line for each failed attempt and one for giving up.
 */
export async function askPatiently(
  survey: TenantExitSurvey,
  range: InstantRange,
  requestId: string,
  { clock, deadline, random, log }: Patience,
): Promise<readonly ReasonCount[] | null> {
  const startedMs = clock.nowMs()
  for (let tries = 1; ; tries += 1) {
    const leftMs = () => startedMs + TOTAL_MS - clock.nowMs()
    const answer = await oneTry(survey, range, Math.min(TRY_MS, leftMs()), deadline)
    if (answer.kind === 'counts') return answer.counts
    const { reason, cause } = answer
    const pauseMs = pauseAfter(BACKOFF, tries, drawFrom(random))
    if (pauseMs === null || leftMs() <= pauseMs) {
      log.error('exit_survey_unavailable', { requestId, tries, reason }, cause)
      return null
    }
    log.info('exit_survey_retry', { requestId, tries, reason })
    await pause(deadline, pauseMs)
  }
}

async function oneTry(
  survey: TenantExitSurvey,
  range: InstantRange,
  timeoutMs: number,
  deadline: Deadline,
): Promise<ReasonCounts> {
  try {
    return await within(deadline, timeoutMs, survey.countReasons(range, deadline.after(timeoutMs)))
  } catch (cause) {
    return { kind: 'unavailable', reason: 'The source did not answer in time.', cause }
  }
}
