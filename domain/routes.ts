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
import type { ReadEndpoint } from './record/endpoint.ts'
import type { OperationRoute } from './record/operation.ts'

/** What is known of an endpoint before anything of its own is loaded: a read is known by its whole record. */
export type Route = ReadEndpoint | OperationRoute

/** The route of every endpoint. `catalog.ts` has their whole declarations, which only the contract document needs. */
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
