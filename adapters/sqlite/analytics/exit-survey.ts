import type { ExitSurveySource, ReasonCount } from '../../../ports/exit-survey-source.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { BEHIND_ALL } from './month-split.ts'
import { sql } from '../statement/sql.ts'

const reasonCounts = template(sql<ReasonCount>`
  select reason_code as code, count(*) as count
  from exit_survey_events indexed by exit_survey_events_occurred_at_reason_code
  where organization_id = ${slot('organizationId')} and occurred_at >= ${slot('from')} and occurred_at <= ${slot('until')}
  group by reason_code`)

/**
 * Exit-survey events in this service's own database. A batch ends by itself within a bounded time, so the caller's
 * signal is not needed.
 */
export function createExitSurvey(executor: Executor): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons({ start, end }) {
        const values = { organizationId, from: start ?? '', until: end ?? BEHIND_ALL }
        try {
          const rows = await rowsOf(executor, bind(reasonCounts, values))
          return { kind: 'counts', counts: rows }
        } catch (cause) {
          return { kind: 'unavailable', reason: 'The database did not answer.', cause }
        }
      },
    }),
  }
}
