import type { Analytics } from '../../ports/analytics.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { Log } from '../../ports/log.ts'
import type { RandomSource } from '../../ports/random-source.ts'

/** The ports that the analytics need. */
export interface AnalyticsWorld {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}
