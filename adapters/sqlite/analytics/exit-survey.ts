import { sql } from 'kysely'
import type { ExitSurveySource, ReasonCount } from '../../../ports/sources/exit-survey-source.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import { rowsOf } from '../statement/executor.ts'
import { rangeValues, within } from './range.ts'

const reasonCounts = template(sql<ReasonCount>`
  select reason_code as code, count(*) as count
  from exit_survey_events indexed by exit_survey_events_occurred_at_reason_code
  where organization_id = ${slot('organizationId')} and ${within(sql`occurred_at`)} group by 1`)

/**
 * Exit-survey events in this service's own database. A batch ends by itself within a bounded time, so the caller's
 * signal is not needed.
 */
export function createExitSurvey(guard: Guard): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range) {
        const counts = bind(reasonCounts, { organizationId, ...rangeValues(range) })
        try {
          const rows = await rowsOf(guard({ organizationIds: [organizationId] }), counts)
          return { kind: 'counts', counts: rows }
        } catch (cause) {
          return { kind: 'unavailable', reason: 'The database did not answer.', cause }
        }
      },
    }),
  }
}
