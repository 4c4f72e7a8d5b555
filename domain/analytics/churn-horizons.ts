import type { ChurnHorizonDays } from '../../ports/analytics.ts'

/** For how many days since their signup cohorts tell how many members had churned. */
export const churnHorizonsDays: readonly ChurnHorizonDays[] = [30, 60, 90, 180, 365]

/** A value for each horizon. */
export function byHorizon<Value>(of: (days: ChurnHorizonDays) => Value): Record<ChurnHorizonDays, Value> {
  return { 30: of(30), 60: of(60), 90: of(90), 180: of(180), 365: of(365) }
}
