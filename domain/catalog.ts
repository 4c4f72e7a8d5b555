import { getCancellationSurvey } from './analytics/cancellations/cancellation-survey.ts'
import { getCancellations } from './analytics/cancellations/cancellations.ts'
import { getCohorts } from './analytics/members/cohorts.ts'
import { exportMembers } from './analytics/members/members.ts'
import { getRetentionOffers } from './analytics/retention-offers.ts'
import { preflightForm, postSubmission } from './forms/endpoints.ts'
import { sendEmail, sendMessage } from './messaging/endpoints.ts'
import { getContract } from './document/contract-endpoint.ts'
import { reads } from './reads.ts'
import { tags } from './record/operation/description.ts'
import type { Endpoint } from './record/endpoint.ts'

/** Every endpoint with a handler of its own. */
export const handledEndpoints = [
  postSubmission,
  preflightForm,
  sendMessage,
  sendEmail,
  exportMembers,
  getCohorts,
  getRetentionOffers,
  getCancellations,
  getCancellationSurvey,
  getContract,
] as const

/** The ids of the endpoints that have a handler of their own. */
export type OperationId = (typeof handledEndpoints)[number]['id']

/** Every endpoint of the service with its whole declaration, in the order of the contract document. */
export const endpoints: readonly Endpoint[] = [...reads, ...handledEndpoints].toSorted(
  (left, right) => placeOf(left) - placeOf(right),
)

/** The place of an endpoint's tag in the document. */
function placeOf({ tag }: Endpoint): number {
  return tags.findIndex((other) => other === tag)
}
