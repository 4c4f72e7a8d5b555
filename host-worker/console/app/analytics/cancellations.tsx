import { Empty, Figure, countText } from '../kit/page.tsx'
import { Table } from '../kit/table.tsx'
import { useCall } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { Listing, Report, figureText, moneyText, numbers, useChoices, wordText } from './report.tsx'

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
      sheet="cancellation-reasons"
      rowsOf={({ reasons }) => reasons}
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
    <Listing
      title="Cancellations by reason"
      series={['cancellations']}
      lineOf={({ reason, churnType, count }) => ({
        name: `${reason ?? 'Not known'} (${churnType ?? 'type not known'})`,
        values: [count],
      })}
      columns={[
        { title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }: Reason) => wordText(reason) },
        { title: 'Type', cell: ({ churnType }) => wordText(churnType) },
        numbers<Reason>('Count', ({ count }) => count),
        numbers<Reason>('Share', ({ pct }) => pct, '%'),
      ]}
      rows={reasons}
      rowKey={({ reason, churnType }) => JSON.stringify([reason, churnType])}
    />
  )
}

function Tenure({ tenure: { buckets } }: Pick<Body, 'tenure'>) {
  return (
    <Listing
      title="Cancellations by days since the signup"
      series={['cancellations']}
      lineOf={({ label, count }) => ({ name: label, values: [count] })}
      columns={[
        { title: 'Days', width: 'minmax(0, 2fr)', cell: ({ label }: Bucket) => label },
        numbers<Bucket>('Count', ({ count }) => count),
        numbers<Bucket>('Share', ({ pct }) => pct, '%'),
      ]}
      rows={buckets}
      rowKey={({ label }) => label}
    />
  )
}

type Survey = BodyOf<'analytics.cancellationSurvey'>
type Answer = Survey['reasons'][number]

/** What members said when they left. */
export function CancellationSurvey() {
  const [{ start, end }] = useChoices()
  const reading = useCall('analytics.cancellationSurvey', { query: { start, end } })
  return (
    <Report title="Cancellation survey" reading={reading} sheet="cancellation-survey" rowsOf={answersIn}>
      {(report) => <Answers report={report} />}
    </Report>
  )
}

function Answers({ report }: { readonly report: Survey }) {
  const { available, totals } = report
  if (!available)
    return <Empty title="The survey cannot be read now.">Nothing is known. Try again in a while.</Empty>
  if (totals.selections === 0) return <Empty title="Nobody answered in these days." />
  const answers = answersIn(report)
  return (
    <>
      <p class="soft">{countText(totals.selections)} answers.</p>
      <Listing
        title="Reasons that members gave"
        series={['answers']}
        lineOf={({ reason, count }) => ({ name: reason, values: [count] })}
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
function answersIn({ reasons, other }: Survey): readonly Answer[] {
  return other === null ? reasons : [...reasons, { reason: 'Other', rawCodes: [], ...other }]
}

type Offers = BodyOf<'analytics.retentionOffers'>
type Offer = Offers['offers'][number]

/** Offers that were made to members who wanted to leave. */
export function RetentionOffers() {
  const [{ start, end }] = useChoices()
  const reading = useCall('analytics.retentionOffers', { query: { start, end } })
  return (
    <Report
      title="Retention offers"
      reading={reading}
      sheet="retention-offers"
      rowsOf={({ offers }) => offers}
    >
      {({ offers, totals, ltv }) =>
        offers.length === 0 ? (
          <Empty title="No offer was made in these days." />
        ) : (
          <>
            <div class="figures plain">
              <Figure label="Viewed" value={countText(totals.viewed)} />
              <Figure label="Accepted" value={countText(totals.accepted)}>
                {figureText(totals.acceptanceRatePct, '%')}
              </Figure>
              <Figure label="Declined" value={countText(totals.declined)} />
            </div>
            <OfferList offers={offers} />
            <h3>Revenue of these members</h3>
            <Revenue ltv={ltv} />
          </>
        )
      }
    </Report>
  )
}

function OfferList({ offers }: Pick<Offers, 'offers'>) {
  return (
    <Listing
      title="Decisions by offer"
      series={['accepted', 'declined']}
      lineOf={({ offerName, accepted, declined }) => ({ name: offerName, values: [accepted, declined] })}
      columns={[
        { title: 'Offer', width: 'minmax(0, 2fr)', cell: ({ offerName }: Offer) => wordText(offerName) },
        { title: 'Plan', cell: ({ targetPlanName }) => wordText(targetPlanName) },
        { title: 'Price', align: 'end', cell: ({ targetPlanPrice }) => moneyText(targetPlanPrice) },
        numbers<Offer>('Viewed', ({ viewed }) => viewed),
        numbers<Offer>('Accepted', ({ accepted }) => accepted),
        numbers<Offer>('Declined', ({ declined }) => declined),
        numbers<Offer>('Rate', ({ acceptanceRatePct }) => acceptanceRatePct, '%'),
      ]}
      rows={offers}
      rowKey={({ offerId }) => offerId}
    />
  )
}

function Revenue({ ltv }: Pick<Offers, 'ltv'>) {
  if (ltv.unavailableReason !== null) return <p class="soft">{ltv.unavailableReason}</p>
  const groups = [
    { decision: 'Accepted', ...ltv.acceptedMembers },
    { decision: 'Declined', ...ltv.declinedMembers },
  ]
  const { members, membersWithRevenue, coveragePct } = ltv.coverage ?? {}
  return (
    <>
      <p class="soft">
        Known of {figureText(membersWithRevenue)} of {figureText(members)} members who decided (
        {figureText(coveragePct, '%')}).
      </p>
      <Table
        label="Revenue by decision"
        columns={[
          { title: 'Decision', cell: ({ decision }: (typeof groups)[number]) => decision },
          numbers<(typeof groups)[number]>('Members', (group) => group.members ?? null),
          { title: 'Mean', align: 'end', cell: (group) => centsText(group.averageRevenueCents) },
          { title: 'Median', align: 'end', cell: (group) => centsText(group.medianRevenueCents) },
        ]}
        rows={groups}
        rowKey={({ decision }) => decision}
      />
    </>
  )
}

function centsText(cents: number | null | undefined) {
  return moneyText(cents === null || cents === undefined ? null : cents / 100)
}
