import type { InstantRange } from '../../ports/analytics.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { ReasonCount, ReasonCounts, TenantExitSurvey } from '../../ports/exit-survey-source.ts'
import type { Log } from '../../ports/log.ts'
import type { RandomSource } from '../../ports/random-source.ts'
import { pause, within } from '../bounds/within.ts'

const TRIES_MAX = 3
/** A try that takes longer is given up. */
const TRY_MS = 4_000
/** No try begins, and none goes on, behind this. */
const TOTAL_MS = 9_000
/** Before the second try; twice as long before the third. */
const FIRST_PAUSE_MS = 200
/** The share of a pause that is drawn, so that requests which failed together do not come back together. */
const JITTER = 0.5

export interface Patience {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}

/**
 * Asks the survey's source up to three times, with pauses in between and a limit on the whole. Null: it could not be
 * asked, and the log says why (one line for each failed try, and one when there is no other). Never rejects.
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
    const pauseMs = pauseAfter(tries, random)
    if (tries === TRIES_MAX || leftMs() <= pauseMs) {
      log.error('exit_survey_unavailable', { requestId, tries, reason: answer.reason })
      return null
    }
    log.info('exit_survey_retry', { requestId, tries, reason: answer.reason })
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
  } catch {
    return { kind: 'unavailable', reason: 'The source did not answer in time.' }
  }
}

/** Between half of the pause and all of it. */
function pauseAfter(tries: number, random: RandomSource): number {
  const pauseMs = FIRST_PAUSE_MS * 2 ** (tries - 1)
  const [draw = 0] = random.bytes(1)
  return Math.round(pauseMs * (1 - (JITTER * draw) / 255))
}
