import type { Organization } from '../../ports/organization.ts'
import type { Reply } from './reply.ts'
import { errorReply, unavailable } from './reply.ts'

/** What an organization must have for an endpoint to answer it. */
export type Capability = keyof Pick<Organization, 'billingEvents' | 'analytics' | 'retentionOfferAnalytics'>

const refusals: Readonly<Record<Capability, () => Reply>> = {
  billingEvents: unavailable,
  analytics: () => errorReply(403, 'Analytics are not available to this organization.'),
  retentionOfferAnalytics: () =>
    errorReply(403, 'Retention offer analytics are not available to this organization.'),
}

/** The status of the answer to an organization that lacks it. */
export function refusalStatusOf(requires: Capability): number {
  return refusals[requires]().status
}

/** The answer to an organization that lacks what an endpoint requires; null: it lacks nothing. */
export function refusalOf(requires: Capability | null, organization: Organization): Reply | null {
  return requires === null || organization[requires] ? null : refusals[requires]()
}
