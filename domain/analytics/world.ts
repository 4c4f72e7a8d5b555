import type { Analytics } from '../../ports/records/analytics.ts'
import type { Clock } from '../../ports/platform/clock.ts'
import type { Deadline } from '../../ports/platform/deadline.ts'
import type { ExitSurveySource } from '../../ports/sources/exit-survey-source.ts'
import type { Log } from '../../ports/platform/log.ts'
import type { RandomSource } from '../../ports/platform/random-source.ts'

/** The ports that the analytics need. */
export interface AnalyticsWorld {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}
