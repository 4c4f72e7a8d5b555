import { BarList } from '../kit/charts/bar-list.tsx'
import { CsvButton } from '../kit/saving/csv-button.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table/table.tsx'
import { countText } from '../kit/text.ts'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'
import { useChoices } from './choices.ts'
import { numbers, Report, wordText } from './report.tsx'

type Body = BodyOf<'analytics.cancellationSurvey'>
type Answer = Body['reasons'][number]

/** What members said when they left. */
export function CancellationSurvey() {
  const [{ start, end }] = useChoices()
  const reading = useCall('analytics.cancellationSurvey', { query: { start, end } })
  return (
    <Report
      title="Cancellation survey"
      reading={reading}
      actions={
        reading.state === 'ready' && <CsvButton name="cancellation-survey" rows={answersIn(reading.data)} />
      }
    >
      {(report) => <Answers report={report} />}
    </Report>
  )
}

function Answers({ report }: { readonly report: Body }) {
  const { available, totals } = report
  if (!available)
    return <Empty title="The survey cannot be read now.">Nothing is known. Try again in a while.</Empty>
  if (totals.selections === 0) return <Empty title="Nobody answered in these days." />
  const answers = answersIn(report)
  return (
    <>
      <p class="soft">{countText(totals.selections)} answers.</p>
      <BarList
        title="Reasons that members gave"
        series={['answers']}
        lines={answers.map(({ reason, count }) => ({ name: reason, values: [count] }))}
      />
      <Table
        label="Reasons that members gave"
        columns={[
          { title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }: Answer) => wordText(reason) },
          {
            title: 'Recorded as',
            width: 'minmax(0, 2fr)',
            cell: ({ rawCodes }) => wordText(rawCodes.join(', ')),
          },
          numbers<Answer>('Count', ({ count }) => count),
          numbers<Answer>('Share', ({ pct }) => pct, '%'),
        ]}
        rows={answers}
        rowKey={({ reason, rawCodes }) => JSON.stringify([reason, rawCodes])}
      />
    </>
  )
}

/** All answers, with what is in no list last. */
function answersIn({ reasons, other }: Body): readonly Answer[] {
  return other === null ? reasons : [...reasons, { reason: 'Other', rawCodes: [], ...other }]
}
