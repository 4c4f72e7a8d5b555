import type { Line } from '../kit/charts/bar-list.tsx'
import type { HeatCell } from '../kit/charts/heat-map.tsx'
import { countText } from '../kit/text.ts'
import type { Cohort, Horizon } from './cohort.ts'
import { HORIZONS, inColumns, shareOf } from './cohort.ts'

/** A row for each month, a column for each horizon. */
export function cellsByHorizon(cohorts: readonly Cohort[]): readonly HeatCell[] {
  return cohorts.flatMap((cohort) =>
    HORIZONS.map((days) => ({ row: cohort.cohortMonth, column: `${days} days`, ...heatOf(cohort, days) })),
  )
}

/** A row for each month, a column for each plan or site, of one horizon. The unknown one is last. */
export function cellsByValue(cohorts: readonly Cohort[], days: Horizon): readonly HeatCell[] {
  return inColumns(cohorts).map((cohort) => ({
    row: cohort.cohortMonth,
    column: cohort.dimensionValue ?? 'Not known',
    ...heatOf(cohort, days),
  }))
}

function heatOf(cohort: Cohort, days: Horizon): Pick<HeatCell, 'share' | 'text'> {
  const share = shareOf(cohort, days)
  const text = (
    <>
      {share === null ? 'no value' : `${(share * 100).toFixed(0)} %`}
      <small>
        {countText(cohort.churnWithin[days])} of {countText(cohort.cohortSize)}
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
