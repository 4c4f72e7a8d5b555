import type { BodyOf } from '../service/operations.ts'

export type CohortsBody = BodyOf<'analytics.cohorts'>
export type Cohort = CohortsBody['cohorts'][number]

/** Within how many days members left. */
export const HORIZONS = ['30', '60', '90', '180', '365'] as const
export type Horizon = (typeof HORIZONS)[number]

/** The share of a cohort that left within so many days; null: nobody is in it. */
export function shareOf(
  { cohortSize, churnWithin }: Pick<Cohort, 'cohortSize' | 'churnWithin'>,
  days: Horizon,
): number | null {
  return cohortSize === 0 ? null : churnWithin[days] / cohortSize
}

/** Cohorts in the order of their plans or sites. The unknown one is last. */
export function inColumns<Divided extends Pick<Cohort, 'dimensionValue'>>(
  cohorts: readonly Divided[],
): readonly Divided[] {
  const known = new Set(cohorts.flatMap(({ dimensionValue }) => dimensionValue ?? []))
  const columns = [...[...known].sort(), null]
  return cohorts.toSorted(
    (left, right) => columns.indexOf(left.dimensionValue) - columns.indexOf(right.dimensionValue),
  )
}

/** A cohort as a line of a sheet. */
export function spread({ churnWithin, ...cohort }: Cohort): Readonly<Record<string, unknown>> {
  const within = HORIZONS.map((days) => [`churnWithin${days}`, churnWithin[days]] as const)
  return { ...cohort, ...Object.fromEntries(within) }
}
