import {
  cancellationsRoute,
  cancellationSurveyRoute,
  cohortsRoute,
  membersRoute,
  retentionOffersRoute,
} from './analytics/routes.ts'
import type { OperationId } from './catalog.ts'
import { createApi, type Api, type Handled } from './create-api.ts'
import { contractRoute } from './document/routes.ts'
import type { preflightRoute, submitRoute } from './forms/routes.ts'
import { emailRoute, messageRoute } from './messaging/routes.ts'
import { serveRead } from './read/serve-read.ts'
import { reads } from './reads.ts'
import type { Route } from './record/endpoint.ts'
import type { TenantWorld } from './world.ts'

/** `catalog.ts` has the whole declarations, which only the contract document needs. */
const routes: readonly Route[] = [
  ...reads,
  messageRoute,
  emailRoute,
  membersRoute,
  cohortsRoute,
  retentionOffersRoute,
  cancellationsRoute,
  cancellationSurveyRoute,
  contractRoute,
]

const analytics = () => import('./analytics/handled.ts')
const messaging = () => import('./messaging/handled.ts')

type OfWebsites = (typeof submitRoute | typeof preflightRoute)['id']

/**
 * The operations with their handlers, by id. A missing handler does not compile, nor does a handler with a reply that
 * its operation does not declare. Modules that few requests need are imported again for each of them, which is free
 * after the first time. The promise is not kept, because it may have failed, or may have been ended together with the
 * request that made it.
 */
const operations: { readonly [Id in Exclude<OperationId, OfWebsites>]: Handled<Id, TenantWorld> } = {
  'analytics.members': async () => (await analytics()).members,
  'analytics.cohorts': async () => (await analytics()).cohorts,
  'analytics.retentionOffers': async () => (await analytics()).retentionOffers,
  'analytics.cancellations': async () => (await analytics()).cancellations,
  'analytics.cancellationSurvey': async () => (await analytics()).cancellationSurvey,
  'contract.get': async () => (await import('./contract.ts')).contract,
  'message.send': async () => (await messaging()).message,
  'email.send': async () => (await messaging()).email,
}

/** What organizations call with their keys: the public interface without the submission endpoint. */
export const tenantApi: Api<TenantWorld> = createApi<TenantWorld>(routes, operations, serveRead)
