import { BarChart } from '../kit/bar-chart.tsx'
import { Facts } from '../kit/facts.tsx'
import { Empty } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { countText } from '../kit/text.ts'
import { useCall } from '../service/use-query.ts'
import type { Range } from './report.tsx'
import { percentText, Report } from './report.tsx'

/** Offers that were made to members who wanted to leave. */
export function RetentionOffers({ range }: { readonly range: Range }) {
  const reading = useCall('analytics.retentionOffers', { query: { ...range } })
  return (
    <Report title="Retention offers" reading={reading}>
      {({ offers, totals, ltv }) => {
        if (offers.length === 0) return <Empty title="No offer was made." />
        const all = [...offers, { ...totals, offerId: '', offerName: 'All offers' }]
        return (
          <>
            <BarChart
              title="Accepted offers"
              unit="accepted"
              bars={offers.map(({ offerName, accepted }) => ({
                name: offerName,
                value: accepted,
              }))}
            />
            <Table
              label="Offers"
              columns={[
                {
                  title: 'Offer',
                  width: 'minmax(0, 2fr)',
                  cell: ({ offerName }) => offerName,
                },
                { title: 'Viewed', align: 'end', cell: ({ viewed }) => countText(viewed) },
                { title: 'Accepted', align: 'end', cell: ({ accepted }) => countText(accepted) },
                { title: 'Declined', align: 'end', cell: ({ declined }) => countText(declined) },
                {
                  title: 'Rate',
                  align: 'end',
                  cell: ({ acceptanceRatePct }) => percentText(acceptanceRatePct),
                },
              ]}
              rows={all}
              rowKey={({ offerId }) => offerId}
            />
            <h3>Revenue of these members</h3>
            {ltv.unavailableReason === null ? (
              <Facts
                facts={[
                  ['Accepted, average', moneyText(ltv.acceptedMembers?.averageRevenueCents)],
                  ['Declined, average', moneyText(ltv.declinedMembers?.averageRevenueCents)],
                  ['Members with revenue', percentText(ltv.coverage?.coveragePct ?? null)],
                ]}
              />
            ) : (
              <p class="soft">{ltv.unavailableReason}</p>
            )}
          </>
        )
      }}
    </Report>
  )
}

function moneyText(cents: number | null | undefined): string | null {
  return cents === null || cents === undefined ? null : (cents / 100).toFixed(2)
}
