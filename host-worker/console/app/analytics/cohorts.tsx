import { useState } from 'preact/hooks'
import { BarList } from '../kit/charts/bar-list.tsx'
import { CsvButton } from '../kit/saving/csv-button.tsx'
import { SelectField } from '../kit/input/field.tsx'
import { HeatMap } from '../kit/charts/heat-map.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { Table } from '../kit/table/table.tsx'
import { countText } from '../kit/text.ts'
import { useCall } from '../service/use-query.ts'
import { DIMENSIONS, useChoices } from './choices.ts'
import type { Body, Cohort } from './cohort.ts'
import { HORIZONS, spread } from './cohort.ts'
import { cellsByHorizon, cellsByValue, signupsByMonth } from './cohort-cells.tsx'
import { figureText, numbers, Report, wordText } from './report.tsx'

const DIMENSION_NAMES = { none: 'Nothing', plan: 'Plan', site: 'Site' } as const

/** Members by the month of their signup: how many left, and after how long. */
export function Cohorts() {
  const [{ start, end, dimension }, choose] = useChoices()
  const reading = useCall('analytics.cohorts', { query: { start, end, dimension } })
  return (
    <Report
      title="Signup cohorts"
      reading={reading}
      actions={
        reading.state === 'ready' && <CsvButton name="cohorts" rows={reading.data.cohorts.map(spread)} />
      }
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
