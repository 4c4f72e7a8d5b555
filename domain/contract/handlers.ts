import { serveCancellationSurvey } from '../analytics/cancellation-survey.ts'
import { serveCancellations } from '../analytics/cancellations.ts'
import { serveCohorts } from '../analytics/cohorts.ts'
import { serveMembers } from '../analytics/members.ts'
import { serveRetentionOffers } from '../analytics/retention-offers.ts'
import { preflight, serveSubmission } from '../forms/serve.ts'
import { serveEmail } from '../messaging/serve-email.ts'
import { serveMessage } from '../messaging/serve-message.ts'
import type { RoutedRequest, World } from '../service.ts'
import type { OperationId, OperationsById } from './catalog.ts'
import { endpoints } from './catalog.ts'
import { serveContract } from './contract-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { HandlerFor } from './serve-operation.ts'
import { serveOperation } from './serve-operation.ts'
import type { Reply } from './reply.ts'
import { serveRead } from './serve-read.ts'

/** The work of the endpoints that are not canonical reads. One that lacks a handler does not compile. */
const handlers: { readonly [Id in OperationId]: HandlerFor<OperationsById[Id]['access']> } = {
  'analytics.members': serveMembers,
  'analytics.cohorts': serveCohorts,
  'analytics.retentionOffers': serveRetentionOffers,
  'analytics.cancellations': serveCancellations,
  'analytics.cancellationSurvey': serveCancellationSurvey,
  'contract.get': (routed) => serveContract(endpoints, routed),
  'forms.submit': serveSubmission,
  'forms.preflight': async () => preflight(),
  'message.send': serveMessage,
  'email.send': serveEmail,
}

/** Answers a routed request. Rejects only on an internal failure, which the host turns into a 500. */
export function serve(endpoint: Endpoint, routed: RoutedRequest, world: World): Promise<Reply> {
  return endpoint.kind === 'operation'
    ? serveOperation(endpoint, handlers[endpoint.id as OperationId], routed, world)
    : serveRead(endpoint, routed, world)
}
