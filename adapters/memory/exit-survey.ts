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
        const counts = new Map<string, number>()
        for (const { reasonCode, occurredAt } of tenant === undefined
          ? []
          : rowsOf(tenant, 'exit-survey-events').values()) {
          if (!isWithin(String(occurredAt), range)) continue
          counts.set(String(reasonCode), (counts.get(String(reasonCode)) ?? 0) + 1)
        }
        return { kind: 'counts', counts: [...counts].map(([code, count]) => ({ code, count })) }
      },
    }),
  }
}
