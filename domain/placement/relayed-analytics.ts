import type { Analytics, TenantAnalytics } from '../../ports/records/analytics.ts'

/** Runs a question on the analytics of an organization, wherever they are. */
export type Relay = <Result>(
  organizationId: string,
  ask: (analytics: TenantAnalytics) => Promise<Result>,
) => Promise<Result>

/** Analytics that pass each question on to another place. */
export function relayedAnalytics(relay: Relay): Analytics {
  return {
    open: (organizationId) => ({
      members: (query) => relay(organizationId, (analytics) => analytics.members(query)),
      cohorts: (query) => relay(organizationId, (analytics) => analytics.cohorts(query)),
      retentionOffers: (range) => relay(organizationId, (analytics) => analytics.retentionOffers(range)),
      revenueByDecision: (range) => relay(organizationId, (analytics) => analytics.revenueByDecision(range)),
      cancellations: (range) => relay(organizationId, (analytics) => analytics.cancellations(range)),
    }),
  }
}
