import { sql } from '../statement/sql.ts'
import type { ExitSurveySource, ReasonCount } from '../../../ports/exit-survey-source.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import { rowsOf } from '../statement/executor.ts'
import { monthsAndDays, rangeValues } from './period-split.ts'

const reasonCounts = template(sql<ReasonCount>`
  select code, sum(events) as count from (
    select c.reason_code as code, c.events
    from json_each(${slot('periods')}) as p cross join exit_survey_counts as c
      on c.organization_id = ${slot('organizationId')} and c.period >= p.value ->> 0 and c.period < p.value ->> 1
    union all
    select e.reason_code, 1
    from json_each(${slot('instants')}) as i cross join exit_survey_events as e
      indexed by exit_survey_events_occurred_at_reason_code
      on e.organization_id = ${slot('organizationId')}
      and e.occurred_at >= i.value ->> 0 and e.occurred_at < i.value ->> 1
  ) group by code having sum(events) > 0`)

/**
 * Exit-survey events in this service's own database. A batch ends by itself within a bounded time, so the caller's
 * signal is not needed.
 */
export function createExitSurvey(guard: Guard): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range) {
        const values = { organizationId, ...rangeValues(range, monthsAndDays) }
        try {
          const rows = await rowsOf(guard({ organizationIds: [organizationId] }), bind(reasonCounts, values))
          return { kind: 'counts', counts: rows }
        } catch (cause) {
          return { kind: 'unavailable', reason: 'The database did not answer.', cause }
        }
      },
    }),
  }
}
