import { groupsOf } from '../../domain/analytics/figures.ts'
import { isWithin } from '../../domain/analytics/range.ts'
import type { ExitSurveySource } from '../../ports/exit-survey-source.ts'
import type { MemoryState } from './state.ts'
import { rowsOf } from './state.ts'

/** Events of the exit survey among an organization's other rows. It answers at once, so it is never given up. */
export function createMemoryExitSurvey(state: MemoryState): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range) {
        state.meter.calls += 1
        const tenant = state.tenants.get(organizationId)
        const events = tenant === undefined ? [] : [...rowsOf(tenant, 'exit-survey-events').values()]
        const picked = events.filter(({ occurredAt }) => isWithin(String(occurredAt), range))
        const byCode = groupsOf(picked, ({ reasonCode }) => String(reasonCode))
        return { kind: 'counts', counts: [...byCode].map(([code, { length: count }]) => ({ code, count })) }
      },
    }),
  }
}
