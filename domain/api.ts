import type { HandledOperation } from './access/serve-operation.ts'
import { admitted, handled } from './access/serve-operation.ts'
import * as survey from './analytics/cancellation-survey.ts'
import * as cancellations from './analytics/cancellations.ts'
import * as cohorts from './analytics/cohorts.ts'
import * as members from './analytics/members.ts'
import * as offers from './analytics/retention-offers.ts'
import type { OperationId } from './catalog.ts'
import { endpoints } from './catalog.ts'
import { getContract, serveContract } from './document/contract-endpoint.ts'
import { preflight } from './forms/answer/preflight.ts'
import { failedReply, unknownFormReply } from './forms/answer/reply.ts'
import { preflightForm, submitForm } from './forms/endpoints.ts'
import { serveSubmission } from './forms/serve.ts'
import { sendEmail, sendMessage } from './messaging/endpoints.ts'
import { serveEmail } from './messaging/serve-email.ts'
import { serveMessage } from './messaging/serve-message.ts'
import { serveRead } from './read/serve-read.ts'
import type { Endpoint } from './record/endpoint.ts'
import type { ErrorStyle } from './record/operation.ts'
import type { Reply } from './record/reply.ts'
import { internalError, methodNotAllowed, notFound } from './record/reply.ts'
import type { RoutedRequest } from './record/routed-request.ts'
import type { World } from './world.ts'

/**
 * The operations with their handlers, by id. One that lacks a handler does not compile, nor does a handler that
 * answers what its operation does not declare.
 */
const operations: { readonly [Id in OperationId]: HandledOperation<Id, World> } = {
  'analytics.members': handled(members.exportMembers, members.serveMembers),
  'analytics.cohorts': handled(cohorts.getCohorts, cohorts.serveCohorts),
  'analytics.retentionOffers': handled(offers.getRetentionOffers, offers.serveRetentionOffers),
  'analytics.cancellations': handled(cancellations.getCancellations, cancellations.serveCancellations),
  'analytics.cancellationSurvey': handled(survey.getCancellationSurvey, survey.serveCancellationSurvey),
  'contract.get': handled(getContract, (request) => serveContract(endpoints, request)),
  'forms.submit': handled(submitForm, serveSubmission),
  'forms.preflight': handled(preflightForm, async () => preflight()),
  'message.send': handled(sendMessage, serveMessage),
  'email.send': handled(sendEmail, serveEmail),
}

const operationsById: ReadonlyMap<string, HandledOperation<string, World>> = new Map(
  Object.entries(operations),
)

/** Answers a routed request. Rejects only on an internal failure, for which `answerFailure` makes the response. */
export async function serve(endpoint: Endpoint, routed: RoutedRequest, world: World): Promise<Reply> {
  if (endpoint.kind !== 'operation') return serveRead(endpoint, routed, world)
  const operation = operationsById.get(endpoint.id)
  if (operation === undefined) throw new Error(`The operation ${endpoint.id} has no handler`)
  return operation.serve(routed, world)
}

/**
 * Answers a method that a path does not have. On a route that needs a key, a request without a valid key gets 401
 * instead.
 */
export async function serveWrongMethod(
  ofPath: readonly Endpoint[],
  routed: RoutedRequest,
  world: World,
): Promise<Reply> {
  const allow = allowedMethods(ofPath)
  const [first] = ofPath
  if (first === undefined) throw new Error('A path without endpoints was routed')
  if (first.kind !== 'operation') return serveRead(first, routed, world, methodNotAllowed(allow))
  return first.errorStyle === 'api'
    ? admitted({ ...first, requires: null }, routed, world, async () => methodNotAllowed(allow))
    : failedReply(routed.request, 'method_not_allowed', 'Method not allowed', { allow: allow.join(', ') })
}

/** The methods that a path answers to, as `Allow` lists them. `HEAD` comes with `GET`. */
function allowedMethods(of: readonly Endpoint[]): readonly string[] {
  return of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** The answer to an internal failure, in the style of the endpoints of the path. */
export async function answerFailure(
  ofPath: readonly Endpoint[],
  { request, requestId }: Pick<RoutedRequest, 'request' | 'requestId'>,
): Promise<Reply> {
  if (!ofPath.some((endpoint) => errorStyleOf(endpoint) === 'submission')) return internalError(requestId)
  return failedReply(
    request,
    'internal_error',
    `The submission could not be processed and may or may not have been saved; do not send it again automatically. Request id: ${requestId}`,
  )
}

/**
 * The answer to a path that no endpoint has. Where a form's id cannot be one, the path still belongs to the endpoint
 * that any website may read.
 */
export function answerUnknownRoute({ pathname }: URL): Reply {
  return submissionPaths.some((path) => path.test(pathname)) ? unknownFormReply() : notFound()
}

/** The paths of submissions, with anything in the place of a form's id. */
const submissionPaths = endpoints
  .filter((endpoint) => errorStyleOf(endpoint) === 'submission')
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.*')}/*$`))

function errorStyleOf(endpoint: Endpoint): ErrorStyle {
  return endpoint.kind === 'operation' ? endpoint.errorStyle : 'api'
}
