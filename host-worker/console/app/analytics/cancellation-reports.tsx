import { BarChart } from '../kit/bar-chart.tsx'
import { Figure } from '../kit/card.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { countText } from '../kit/text.ts'
import { useCall } from '../service/use-query.ts'
import type { Range } from './report.tsx'
import { percentText, Report } from './report.tsx'

const COUNT = {
  title: 'Count',
  align: 'end',
  cell: ({ count }: { count: number }) => countText(count),
} as const
const SHARE = {
  title: 'Share',
  align: 'end',
  cell: ({ pct }: { pct: number | null }) => percentText(pct),
} as const

/** Cancellations as the point of sale reports them, by reason and by tenure. */
export function Cancellations({ range }: { readonly range: Range }) {
  const reading = useCall('analytics.cancellations', { query: { ...range } })
  return (
    <Report title="Cancellations" reading={reading}>
      {({ totals, reasons, tenure }) => {
        const rows = reasons.map((row) => ({
          ...row,
          name: `${row.reason ?? 'not known'} (${row.churnType ?? 'unknown'})`,
        }))
        return (
          <>
            <div class="figures plain">
              <Figure label="Cancellations" value={countText(totals.cancellations)} />
              <Figure label="Voluntary" value={countText(totals.voluntary)}>
                {percentText(totals.voluntaryPct)}
              </Figure>
              <Figure label="Involuntary" value={countText(totals.involuntary)}>
                {percentText(totals.involuntaryPct)}
              </Figure>
              <Figure
                label="Median tenure"
                value={tenure.medianDays === null ? '–' : `${countText(tenure.medianDays)} days`}
              />
            </div>
            <h3>By reason</h3>
            <BarChart
              title="Cancellations by reason"
              unit="cancellations"
              bars={rows.map(({ name, count }) => ({ name, value: count }))}
            />
            <Table
              label="Reasons"
              columns={[{ title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ name }) => name }, COUNT, SHARE]}
              rows={rows}
              rowKey={({ name }) => name}
            />
            <h3>By tenure in days</h3>
            <BarChart
              title="Cancellations by tenure in days"
              unit="cancellations"
              bars={tenure.buckets.map(({ label, count }) => ({ name: label, value: count }))}
            />
            <Table
              label="Tenure"
              columns={[{ title: 'Days', width: 'minmax(0, 2fr)', cell: ({ label }) => label }, COUNT, SHARE]}
              rows={tenure.buckets}
              rowKey={({ label }) => label}
            />
          </>
        )
      }}
    </Report>
  )
}

/** What members said when they left. */
export function CancellationSurvey({ range }: { readonly range: Range }) {
  const reading = useCall('analytics.cancellationSurvey', { query: { ...range } })
  return (
    <Report title="Cancellation survey" reading={reading}>
      {({ available, reasons, other, totals }) => {
        if (!available) return <Empty title="The survey cannot be read now.">Try again in a while.</Empty>
        if (totals.selections === 0) return <Empty title="Nobody has answered." />
        const rows = [...reasons, ...(other === null ? [] : [{ ...other, reason: 'Other' }])]
        return (
          <>
            <BarChart
              title="Reasons that members gave"
              unit="answers"
              bars={rows.map(({ reason, count }) => ({ name: reason, value: count }))}
            />
            <Table
              label="Answers"
              columns={[
                { title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }) => reason },
                COUNT,
                SHARE,
              ]}
              rows={rows}
              rowKey={({ reason }) => reason}
            />
          </>
        )
      }}
    </Report>
  )
}
