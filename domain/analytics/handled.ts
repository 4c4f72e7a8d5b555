import { handled } from '../access/serve-operation.ts'
import { getCancellationSurvey, serveCancellationSurvey } from './cancellations/cancellation-survey.ts'
import { getCancellations, serveCancellations } from './cancellations/cancellations.ts'
import { getCohorts, serveCohorts } from './members/cohorts.ts'
import { exportMembers, serveMembers } from './members/members.ts'
import { getRetentionOffers, serveRetentionOffers } from './retention-offers.ts'

// The analytics with their handlers. Few requests need them, so the first request that does loads this module.

export const members = handled(exportMembers, serveMembers)
export const cohorts = handled(getCohorts, serveCohorts)
export const retentionOffers = handled(getRetentionOffers, serveRetentionOffers)
export const cancellations = handled(getCancellations, serveCancellations)
export const cancellationSurvey = handled(getCancellationSurvey, serveCancellationSurvey)
