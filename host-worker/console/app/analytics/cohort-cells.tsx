import type { Line } from '../kit/charts/bar-list.tsx'
import type { HeatCell } from '../kit/charts/heat-map.tsx'
import { countText } from '../kit/text.ts'
import type { BodyOf } from '../service/operations.ts'

export type Body = BodyOf<'analytics.cohorts'>
export type Cohort = Body['cohorts'][number]

/** Within how many days members left. */
export const HORIZONS = ['30', '60', '90', '180', '365'] as const
type Horizon = (typeof HORIZONS)[number]

/** A row for each month, a column for each horizon. */
export function cellsByHorizon(cohorts: readonly Cohort[]): readonly HeatCell[] {
  return cohorts.flatMap((cohort) =>
    HORIZONS.map((days) => ({ row: cohort.cohortMonth, column: `${days} days`, ...heatOf(cohort, days) })),
  )
}

/** A row for each month, a column for each plan or site, of one horizon. The unknown one is last. */
export function cellsByValue(cohorts: readonly Cohort[], days: Horizon): readonly HeatCell[] {
  const known = new Set(cohorts.flatMap(({ dimensionValue }) => dimensionValue ?? []))
  const columns = [...[...known].sort(), null]
  return cohorts
    .toSorted((left, right) => columns.indexOf(left.dimensionValue) - columns.indexOf(right.dimensionValue))
    .map((cohort) => ({
      row: cohort.cohortMonth,
      column: cohort.dimensionValue ?? 'Not known',
      ...heatOf(cohort, days),
    }))
}

function heatOf({ cohortSize, churnWithin }: Cohort, days: Horizon): Pick<HeatCell, 'share' | 'text'> {
  const left = churnWithin[days]
  const share = cohortSize === 0 ? null : left / cohortSize
  const text = (
    <>
      {share === null ? 'no value' : `${(share * 100).toFixed(0)} %`}
      <small>
        {countText(left)} of {countText(cohortSize)}
      </small>
    </>
  )
  return { share, text }
}

/** How many signed up in each month and are still there, and how many left. */
export function signupsByMonth(cohorts: readonly Cohort[]): readonly Line[] {
  return [...Map.groupBy(cohorts, ({ cohortMonth }) => cohortMonth)].map(([name, ofMonth]) => ({
    name,
    values: [
      ofMonth.reduce((sum, { stillActive }) => sum + stillActive, 0),
      ofMonth.reduce((sum, { churned }) => sum + churned, 0),
    ],
  }))
}

/** A cohort as a line of a sheet. */
export function spread({ churnWithin, ...cohort }: Cohort): Readonly<Record<string, unknown>> {
  const within = HORIZONS.map((days) => [`churnWithin${days}`, churnWithin[days]] as const)
  return { ...cohort, ...Object.fromEntries(within) }
}
