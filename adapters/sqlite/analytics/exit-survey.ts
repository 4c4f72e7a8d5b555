import type { ExitSurveySource } from '../../../ports/sources.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import { rowsOf } from '../statement/executor.ts'
import { indexedBy } from '../statement/words.ts'
import { rangeValues, within } from './range.ts'

const reasonCounts = template(
  db
    .selectFrom(indexedBy('exit_survey_events', 'e', 'exit_survey_events_occurred_at_reason_code'))
    .select(({ fn }) => ['e.reason_code as code', fn.countAll<number>().as('count')])
    .where('e.organization_id', '=', slot('organizationId'))
    .where(({ ref }) => within(ref('e.occurred_at')))
    .groupBy('e.reason_code'),
)

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
