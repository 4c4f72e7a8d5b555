import type { ChurnHorizonDays } from '../../ports/analytics.ts'

/** A value for each number of days since their signup for which cohorts tell how many members had churned. */
export function byHorizon<Value>(of: (days: ChurnHorizonDays) => Value): Record<ChurnHorizonDays, Value> {
  return { 30: of(30), 60: of(60), 90: of(90), 180: of(180), 365: of(365) }
}
