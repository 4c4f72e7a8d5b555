import {
  cancellationsRoute,
  cancellationSurveyRoute,
  cohortsRoute,
  membersRoute,
  retentionOffersRoute,
} from './analytics/routes.ts'
import { contractRoute } from './document/routes.ts'
import { preflightRoute, submitRoute } from './forms/routes.ts'
import { emailRoute, messageRoute } from './messaging/routes.ts'
import { reads } from './reads.ts'
import type { Route } from './record/endpoint.ts'

/** The routes of all endpoints. `catalog.ts` has their whole declarations, which only the contract document needs. */
export const routes: readonly Route[] = [
  ...reads,
  submitRoute,
  preflightRoute,
  messageRoute,
  emailRoute,
  membersRoute,
  cohortsRoute,
  retentionOffersRoute,
  cancellationsRoute,
  cancellationSurveyRoute,
  contractRoute,
]
