import type { ChurnHorizonDays, TenureHorizonDays } from '../../ports/analytics.ts'

/** An object with a value for each horizon of the cohorts, a number of days since signup. */
export function byHorizon<Value>(of: (days: ChurnHorizonDays) => Value): Record<ChurnHorizonDays, Value> {
  return { 30: of(30), 60: of(60), 90: of(90), 180: of(180), 365: of(365) }
}

/** An object with a value for each horizon of tenures, a number of days that churned members had stayed at most. */
export function byTenureHorizon<Value>(
  of: (days: TenureHorizonDays) => Value,
): Record<TenureHorizonDays, Value> {
  return { 30: of(30), 90: of(90), 180: of(180), 365: of(365), 730: of(730) }
}
