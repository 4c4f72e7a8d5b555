import { useState } from 'preact/hooks'
import { SelectField } from '../kit/fields.tsx'
import { Empty, countText } from '../kit/page.tsx'
import { Table, type Column } from '../kit/table.tsx'
import { useCall } from '../service/hooks.ts'
import { HORIZONS, inColumns, shareOf, spread, type Body, type Cohort, type Horizon } from './cohort.ts'
import {
  BarList,
  DIMENSIONS,
  HeatMap,
  Report,
  figureText,
  numbers,
  useChoices,
  wordText,
  type HeatCell,
  type Line,
} from './report.tsx'

const DIMENSION_NAMES = { none: 'Nothing', plan: 'Plan', site: 'Site' } as const

/** Members by the month of their signup: how many left, and after how long. */
export function Cohorts() {
  const [{ start, end, dimension }, choose] = useChoices()
  const reading = useCall('analytics.cohorts', { query: { start, end, dimension } })
  return (
    <Report
      title="Signup cohorts"
      reading={reading}
      sheet="cohorts"
      rowsOf={({ cohorts }) => cohorts.map(spread)}
    >
      {(report) => (
        <>
          <div class="filters">
            <SelectField
              label="Months are divided by"
              value={dimension}
              onValue={(value) => {
                choose({ dimension: DIMENSIONS.find((one) => one === value) ?? 'none' })
              }}
              options={DIMENSIONS.map((value) => ({ value, label: DIMENSION_NAMES[value] }))}
            />
          </div>
          <Coverage report={report} />
          {report.cohorts.length === 0 ? (
            <Empty title="Nobody signed up in these months." />
          ) : (
            <CohortFigures report={report} />
          )}
        </>
      )}
    </Report>
  )
}

function Coverage({ report: { signupDateCoverage } }: { readonly report: Body }) {
  const { withSignupDate, members, coveragePct } = signupDateCoverage
  return (
    <p class="soft">
      Whole months. The signup of {countText(withSignupDate)} of {countText(members)} members is known (
      {figureText(coveragePct, '%')}).
    </p>
  )
}

function CohortFigures({ report: { cohorts, dimension } }: { readonly report: Body }) {
  const [horizon, setHorizon] = useState<(typeof HORIZONS)[number]>('365')
  const isDivided = dimension !== 'none'
  return (
    <>
      {isDivided && (
        <div class="filters">
          <SelectField
            label="The map shows who left within"
            value={horizon}
            onValue={(value) => {
              setHorizon(HORIZONS.find((one) => one === value) ?? '365')
            }}
            options={HORIZONS.map((value) => ({ value, label: `${value} days` }))}
          />
        </div>
      )}
      <HeatMap
        title={
          isDivided
            ? `Share that left within ${horizon} days, by month and ${dimension}`
            : 'Share that left, by month and days since the signup'
        }
        corner="Month"
        cells={isDivided ? cellsByValue(cohorts, horizon) : cellsByHorizon(cohorts)}
      />
      <BarList title="Signups by month" series={['still active', 'left']} lines={signupsByMonth(cohorts)} />
      <Table
        label="Cohorts"
        columns={[
          { title: 'Month', cell: ({ cohortMonth }: Cohort) => cohortMonth },
          ...(isDivided ? [valueColumn(DIMENSION_NAMES[dimension])] : []),
          numbers<Cohort>('Size', ({ cohortSize }) => cohortSize),
          numbers<Cohort>('Active', ({ stillActive }) => stillActive),
          numbers<Cohort>('Left', ({ churned }) => churned),
          numbers<Cohort>('Rate', ({ churnRatePct }) => churnRatePct, '%'),
          numbers<Cohort>('Voluntary', ({ voluntary }) => voluntary),
          numbers<Cohort>('Involuntary', ({ involuntary }) => involuntary),
        ]}
        rows={cohorts}
        rowKey={({ cohortMonth, dimensionValue }) => JSON.stringify([cohortMonth, dimensionValue])}
      />
    </>
  )
}

function valueColumn(title: string): Column<Cohort> {
  return { title, width: 'minmax(0, 2fr)', cell: ({ dimensionValue }) => wordText(dimensionValue) }
}

/** A row for each month, a column for each horizon. */
function cellsByHorizon(cohorts: readonly Cohort[]): readonly HeatCell[] {
  return cohorts.flatMap((cohort) =>
    HORIZONS.map((days) => ({ row: cohort.cohortMonth, column: `${days} days`, ...heatOf(cohort, days) })),
  )
}

/** A row for each month, a column for each plan or site, of one horizon. The unknown one is last. */
function cellsByValue(cohorts: readonly Cohort[], days: Horizon): readonly HeatCell[] {
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
function signupsByMonth(cohorts: readonly Cohort[]): readonly Line[] {
  return [...Map.groupBy(cohorts, ({ cohortMonth }) => cohortMonth)].map(([name, ofMonth]) => ({
    name,
    values: [
      ofMonth.reduce((sum, { stillActive }) => sum + stillActive, 0),
      ofMonth.reduce((sum, { churned }) => sum + churned, 0),
    ],
  }))
}
