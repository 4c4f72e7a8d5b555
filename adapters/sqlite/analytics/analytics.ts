import type { Analytics } from '../../../ports/analytics.ts'
import type { Guard } from '../placement/guard.ts'
import { readCancellations } from './cancellations.ts'
import { readCohorts } from './cohorts.ts'
import { readRevenueByDecision } from './decision-revenue.ts'
import { readMembers } from './members-page.ts'
import { readOfferCounts } from './offers.ts'

/**
 * The figures of the analytics, from sums that triggers maintain. Only the rows of the partial periods at the ends of a
 * range are counted one by one.
 */
export function createAnalytics(guard: Guard): Analytics {
  return {
    open: (organizationId) => {
      const executor = guard({ organizationIds: [organizationId] })
      return {
        members: (query) => readMembers(executor, organizationId, query),
        cohorts: (query) => readCohorts(executor, organizationId, query),
        retentionOffers: (range) => readOfferCounts(executor, organizationId, range),
        revenueByDecision: (range) => readRevenueByDecision(executor, organizationId, range),
        cancellations: (range) => readCancellations(executor, organizationId, range),
      }
    },
  }
}
