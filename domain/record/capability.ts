import type { Organization } from '../../ports/organizations.ts'
import { errorReply, unavailable, type ErrorBody, type JsonReply, type Reply } from './reply.ts'

/** A setting that an organization must have to use an endpoint. */
export type Capability = keyof Pick<Organization, 'billingEvents' | 'analytics' | 'retentionOfferAnalytics'>

const refusals: Readonly<Record<Capability, () => JsonReply<number, ErrorBody>>> = {
  billingEvents: unavailable,
  analytics: () => errorReply(403, 'Analytics are not available to this organization.'),
  retentionOfferAnalytics: () =>
    errorReply(403, 'Retention offer analytics are not available to this organization.'),
}

/** The reply to an organization that lacks the capability. */
export function refusal(requires: Capability): JsonReply<number, ErrorBody> {
  return refusals[requires]()
}

/** The refusal when an organization lacks the required capability; null: it has it, or none is required. */
export function refusalOf(requires: Capability | null, organization: Organization): Reply | null {
  return requires === null || organization[requires] ? null : refusal(requires)
}
