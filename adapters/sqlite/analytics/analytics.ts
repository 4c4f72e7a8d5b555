import type { Analytics } from '../../../ports/analytics.ts'
import type { Guard } from '../placement/guard.ts'
import { readCancellations } from './cancellations.ts'
import { readCohorts } from './cohorts.ts'
import { readRevenueByDecision } from './decision-revenue.ts'
import { readMembers } from './members-page.ts'
import { readOfferCounts } from './offers.ts'

/**
 * The figures of the analytics. They are counted by indexes that hold all that they need, when they are asked for;
 * cohorts alone are kept as counts.
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
