import { BarList } from '../kit/charts/bar-list.tsx'
import { Figure } from '../kit/card.tsx'
import { CsvButton } from '../kit/saving/csv-button.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table/table.tsx'
import { countText } from '../kit/text.ts'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'
import { useChoices } from './choices.ts'
import { figureText, numbers, Report, wordText } from './report.tsx'

type Body = BodyOf<'analytics.cancellations'>
type Reason = Body['reasons'][number]
type Bucket = Body['tenure']['buckets'][number]

/** Cancellations as the point of sale reports them, by reason and by tenure. */
export function Cancellations() {
  const [{ start, end }] = useChoices()
  const reading = useCall('analytics.cancellations', { query: { start, end } })
  return (
    <Report
      title="Cancellations"
      reading={reading}
      actions={
        reading.state === 'ready' && <CsvButton name="cancellation-reasons" rows={reading.data.reasons} />
      }
    >
      {({ totals, reasons, tenure }) =>
        totals.cancellations === 0 ? (
          <Empty title="Nobody left in these days." />
        ) : (
          <>
            <Totals totals={totals} tenure={tenure} />
            <Reasons reasons={reasons} />
            <Tenure tenure={tenure} />
          </>
        )
      }
    </Report>
  )
}

function Totals({ totals, tenure }: Pick<Body, 'totals' | 'tenure'>) {
  return (
    <div class="figures plain">
      <Figure label="Cancellations" value={countText(totals.cancellations)}>
        {countText(totals.unknown)} of a type that is not known
      </Figure>
      <Figure label="Voluntary" value={countText(totals.voluntary)}>
        {figureText(totals.voluntaryPct, '%')}
      </Figure>
      <Figure label="Involuntary" value={countText(totals.involuntary)}>
        {figureText(totals.involuntaryPct, '%')}
      </Figure>
      <Figure
        label="Days until then, median"
        value={tenure.medianDays === null ? 'no value' : countText(tenure.medianDays)}
      >
        Mean {figureText(tenure.averageDays)}; known of {countText(tenure.known)}, not of{' '}
        {countText(tenure.unknown)}
      </Figure>
    </div>
  )
}

function Reasons({ reasons }: Pick<Body, 'reasons'>) {
  return (
    <>
      <BarList
        title="Cancellations by reason"
        series={['cancellations']}
        lines={reasons.map(({ reason, churnType, count }) => ({
          name: `${reason ?? 'Not known'} (${churnType ?? 'type not known'})`,
          values: [count],
        }))}
      />
      <Table
        label="Cancellations by reason"
        columns={[
          { title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }: Reason) => wordText(reason) },
          { title: 'Type', cell: ({ churnType }) => wordText(churnType) },
          numbers<Reason>('Count', ({ count }) => count),
          numbers<Reason>('Share', ({ pct }) => pct, '%'),
        ]}
        rows={reasons}
        rowKey={({ reason, churnType }) => JSON.stringify([reason, churnType])}
      />
    </>
  )
}

function Tenure({ tenure: { buckets } }: Pick<Body, 'tenure'>) {
  return (
    <>
      <BarList
        title="Cancellations by days since the signup"
        series={['cancellations']}
        lines={buckets.map(({ label, count }) => ({ name: label, values: [count] }))}
      />
      <Table
        label="Cancellations by days since the signup"
        columns={[
          { title: 'Days', width: 'minmax(0, 2fr)', cell: ({ label }: Bucket) => label },
          numbers<Bucket>('Count', ({ count }) => count),
          numbers<Bucket>('Share', ({ pct }) => pct, '%'),
        ]}
        rows={buckets}
        rowKey={({ label }) => label}
      />
    </>
  )
}
