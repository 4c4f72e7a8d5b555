import { sql } from 'kysely'
import type { ExitSurveySource, ReasonCount } from '../../ports/exit-survey-source.ts'
import { bind, slot, template } from './compiler.ts'
import type { Executor } from './executor.ts'
import { BEHIND_ALL } from './month-split.ts'

const reasonCounts = template(sql`
  select reason_code as code, count(*) as count
  from exit_survey_events indexed by exit_survey_events_occurred_at_reason_code
  where organization_id = ${slot('organizationId')} and occurred_at >= ${slot('from')} and occurred_at <= ${slot('until')}
  group by reason_code`)

/** Events of the exit survey in this service's own database. A batch ends by itself, so nothing is given up early. */
export function createD1ExitSurvey(executor: Executor): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons({ start, end }) {
        const values = { organizationId, from: start ?? '', until: end ?? BEHIND_ALL }
        try {
          const [found] = await executor.batch([bind(reasonCounts, values)])
          return { kind: 'counts', counts: (found?.results ?? []) as unknown as readonly ReasonCount[] }
        } catch {
          return { kind: 'unavailable', reason: 'The database did not answer.' }
        }
      },
    }),
  }
}
