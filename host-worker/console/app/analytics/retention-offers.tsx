import { Figure } from '../kit/card.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { countText } from '../kit/text.tsx'
import type { BodyOf } from '../service/operations.ts'
import { useCall } from '../service/use-query.ts'
import { Listing, Report, figureText, moneyText, numbers, useChoices, wordText } from './report.tsx'

type Body = BodyOf<'analytics.retentionOffers'>
type Offer = Body['offers'][number]

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
            <Offers offers={offers} />
            <h3>Revenue of these members</h3>
            <Revenue ltv={ltv} />
          </>
        )
      }
    </Report>
  )
}

function Offers({ offers }: Pick<Body, 'offers'>) {
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

function Revenue({ ltv }: Pick<Body, 'ltv'>) {
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
