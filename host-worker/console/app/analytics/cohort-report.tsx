import { useState } from 'preact/hooks'
import { SelectField } from '../kit/field.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { countText } from '../kit/text.ts'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'
import type { Range } from './report.tsx'
import { HeatMap } from './heat-map.tsx'
import { percentText, Report } from './report.tsx'

type Cohort = BodyOf<'analytics.cohorts'>['cohorts'][number]

const DIMENSIONS = ['none', 'plan', 'site'] as const
const HORIZONS = ['30', '60', '90', '180', '365'] as const

/** Members by the month of their signup: how many left, and after how long. */
export function Cohorts({ range }: { readonly range: Range }) {
  const [dimension, setDimension] = useState<(typeof DIMENSIONS)[number]>('none')
  const reading = useCall('analytics.cohorts', { query: { ...range, dimension } })
  const choice = (
    <SelectField
      label="Told apart by"
      value={dimension}
      onValue={(value) => {
        setDimension(DIMENSIONS.find((one) => one === value) ?? 'none')
      }}
      options={DIMENSIONS.map((value) => ({ value, label: value === 'none' ? 'month alone' : value }))}
    />
  )
  return (
    <Report title="Signup cohorts" reading={reading} actions={choice}>
      {(report) =>
        report.cohorts.length === 0 ? (
          <Empty title="Nobody signed up in these days." />
        ) : (
          <>
            <HeatMap cells={report.cohorts.flatMap((cohort) => cellsOf(cohort, report.dimension))} />
            <Table
              label="Cohorts"
              columns={[
                { title: 'Month', cell: ({ cohortMonth }) => cohortMonth },
                ...(report.dimension === 'none'
                  ? []
                  : [
                      {
                        title: report.dimension === 'plan' ? 'Plan' : 'Site',
                        cell: ({ dimensionValue }: Cohort) => dimensionValue ?? 'not known',
                      },
                    ]),
                { title: 'Size', align: 'end', cell: ({ cohortSize }) => countText(cohortSize) },
                { title: 'Still active', align: 'end', cell: ({ stillActive }) => countText(stillActive) },
                { title: 'Left', align: 'end', cell: ({ churned }) => countText(churned) },
                { title: 'Rate', align: 'end', cell: ({ churnRatePct }) => percentText(churnRatePct) },
              ]}
              rows={report.cohorts}
              rowKey={({ cohortMonth, dimensionValue }) => JSON.stringify([cohortMonth, dimensionValue])}
            />
          </>
        )
      }
    </Report>
  )
}

/** Without a dimension the share that left within each time; with one the share that left at all, by its value. */
function cellsOf(
  { cohortMonth, cohortSize, churnWithin, churnRatePct, dimensionValue }: Cohort,
  dimension: string,
) {
  if (dimension !== 'none')
    return [{ column: cohortMonth, line: dimensionValue ?? 'not known', pct: churnRatePct ?? 0 }]
  return HORIZONS.map((days) => ({
    column: cohortMonth,
    line: `${days} days`,
    pct: cohortSize === 0 ? 0 : (churnWithin[days] / cohortSize) * 100,
  }))
}
