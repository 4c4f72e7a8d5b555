import type { Analytics } from '../../ports/analytics.ts'
import type { Clock, Deadline, Log, RandomSource } from '../../ports/platform.ts'
import type { ExitSurveySource } from '../../ports/sources.ts'

/** The ports that the analytics need. */
export interface AnalyticsWorld {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
  readonly clock: Clock
  readonly deadline: Deadline
  readonly random: RandomSource
  readonly log: Log
}
