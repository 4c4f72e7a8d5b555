import type { Handled } from './access/serve-operation.ts'
import { createApi, type Api, type Route } from './create-api.ts'
import { preflightOperation, submitOperation } from './forms/routes.ts'
import { served, type ReadWorld } from './read/serve.ts'
import { reads } from './resources/index.ts'
import type { Endpoint } from './record/endpoint.ts'
import type { Address, ListedOperation, OperationRecord } from './record/operation.ts'
import type { AnalyticsWorld } from './analytics/report.ts'
import type { SubmissionWorld } from './forms/submit.ts'
import type { MessagingWorld } from './messaging/send-to-all.ts'

/**
 * The operations of organizations, and of everybody: each address with what loads the record and its handler, which
 * stand in one file.
 */
export const operations = [
  onDemand(
    { id: 'message.send', method: 'POST', path: '/api/v1/message' },
    async () => (await import('./messaging/endpoints.ts')).sendMessage,
  ),
  onDemand(
    { id: 'email.send', method: 'POST', path: '/api/v1/email' },
    async () => (await import('./messaging/endpoints.ts')).sendEmail,
  ),
  onDemand(
    { id: 'analytics.members', method: 'GET', path: '/api/v1/members' },
    async () => (await import('./analytics/members.ts')).exportMembers,
  ),
  onDemand(
    { id: 'analytics.cohorts', method: 'GET', path: '/api/v1/cohorts' },
    async () => (await import('./analytics/cohorts.ts')).getCohorts,
  ),
  onDemand(
    { id: 'analytics.retentionOffers', method: 'GET', path: '/api/v1/retention-offers' },
    async () => (await import('./analytics/retention-offers.ts')).getRetentionOffers,
  ),
  onDemand(
    { id: 'analytics.cancellations', method: 'GET', path: '/api/v1/cancellations' },
    async () => (await import('./analytics/cancellations.ts')).getCancellations,
  ),
  onDemand(
    { id: 'analytics.cancellationSurvey', method: 'GET', path: '/api/v1/cancellation-survey' },
    async () => (await import('./analytics/cancellation-survey.ts')).getCancellationSurvey,
  ),
  onDemand({ id: 'contract.get', method: 'GET', path: '/api/v1/openapi.json' }, async () =>
    (await import('./document/openapi.ts')).getContract(publicEndpoints),
  ),
] as const

/** What organizations call with their keys: the public interface without the submission endpoint. */
export const tenantApi: Api<TenantWorld> = createApi<TenantWorld>([
  ...reads.map((read) => ({ id: read.id, method: read.method, path: read.path, ...served(read) })),
  ...operations,
])

/** Every endpoint of the public interface with its whole record. */
export async function publicEndpoints(): Promise<readonly Endpoint[]> {
  const listed = [submitOperation, preflightOperation, ...operations]
  return [...reads, ...(await Promise.all(listed.map(loadEndpoint)))]
}

async function loadEndpoint({ id, method, path, load }: ListedOperation): Promise<Endpoint> {
  return { kind: 'operation', id, method, path, ...(await load()).record }
}

/**
 * Lists an operation that few requests need, so that the first request for it loads it. Loading it again is free. The
 * promise is not kept, because it may have failed, or may have been ended together with the request that made it.
 */
function onDemand<const Id extends string, Record extends OperationRecord, World>(
  address: Address<Id>,
  load: () => Promise<Handled<Record, World>>,
): Address<Id> & Route<World> & { readonly load: typeof load } {
  return {
    ...address,
    load,
    serve: async (routed, world) => (await load()).serve(routed, world),
    judge: async (routed, world, verdict) => (await load()).judge(routed, world, verdict),
  }
}

/** The ports that the interface of organizations needs. The host assembles one such object for each request. */
export interface TenantWorld extends ReadWorld, MessagingWorld, AnalyticsWorld {}

/** All ports that the public interface needs. */
export interface World extends TenantWorld, SubmissionWorld {}
