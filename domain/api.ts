import type { HandledOperation } from './access/serve-operation.ts'
import { admitted, handledByRoute } from './access/serve-operation.ts'
import type { OperationId } from './catalog.ts'
import { preflight } from './forms/answer/preflight.ts'
import { failedReply, unknownFormReply } from './forms/answer/reply.ts'
import type { preflightForm, submitForm } from './forms/endpoints.ts'
import { preflightRoute, submitRoute } from './forms/routes.ts'
import { serveSubmission } from './forms/serve.ts'
import { serveRead } from './read/serve-read.ts'
import type { ErrorStyle } from './record/operation.ts'
import type { Reply } from './record/reply.ts'
import { internalError, methodNotAllowed, notFound } from './record/reply.ts'
import type { RoutedRequest } from './record/routed-request.ts'
import type { Route } from './routes.ts'
import { routes } from './routes.ts'
import type { World } from './world.ts'

/** An operation with its handler, there from the start or loaded when it is asked for. */
type Handled<Id extends string> = HandledOperation<Id, World> | Promise<HandledOperation<Id, World>>

const submission = handledByRoute<typeof submitForm, World>(submitRoute, serveSubmission)
const formPreflight = handledByRoute<typeof preflightForm, World>(preflightRoute, async () => preflight())

const analytics = () => import('./analytics/handled.ts')
const messaging = () => import('./messaging/handled.ts')

/**
 * The operations with their handlers, by id. One that lacks a handler does not compile, nor does a handler that
 * answers what its operation does not declare. What few requests need is imported by each of them anew, which costs
 * nothing after the first: a promise kept from another request could be one that failed, or that ended with it.
 */
const operations: { readonly [Id in OperationId]: () => Handled<Id> } = {
  'analytics.members': async () => (await analytics()).members,
  'analytics.cohorts': async () => (await analytics()).cohorts,
  'analytics.retentionOffers': async () => (await analytics()).retentionOffers,
  'analytics.cancellations': async () => (await analytics()).cancellations,
  'analytics.cancellationSurvey': async () => (await analytics()).cancellationSurvey,
  'contract.get': async () => (await import('./contract.ts')).contract,
  'forms.submit': () => submission,
  'forms.preflight': () => formPreflight,
  'message.send': async () => (await messaging()).message,
  'email.send': async () => (await messaging()).email,
}

const operationsById: ReadonlyMap<string, () => Handled<string>> = new Map(Object.entries(operations))

/** Answers a routed request. Rejects only on an internal failure, for which `answerFailure` makes the response. */
export async function serve(route: Route, routed: RoutedRequest, world: World): Promise<Reply> {
  if (route.kind !== 'operation') return serveRead(route, routed, world)
  const operation = operationsById.get(route.id)
  if (operation === undefined) throw new Error(`The operation ${route.id} has no handler`)
  return (await operation()).serve(routed, world)
}

/**
 * Answers a method that a path does not have. On a route that needs a key, a request without a valid key gets 401
 * instead.
 */
export async function serveWrongMethod(
  ofPath: readonly Route[],
  routed: RoutedRequest,
  world: World,
): Promise<Reply> {
  const allow = allowedMethods(ofPath)
  const [first] = ofPath
  if (first === undefined) throw new Error('A path without routes was routed')
  if (first.kind !== 'operation') return serveRead(first, routed, world, methodNotAllowed(allow))
  return first.errorStyle === 'api'
    ? admitted(first.access, null, routed, world, async () => methodNotAllowed(allow))
    : failedReply(routed.request, 'method_not_allowed', 'Method not allowed', { allow: allow.join(', ') })
}

/** The methods that a path answers to, as `Allow` lists them. `HEAD` comes with `GET`. */
function allowedMethods(of: readonly Route[]): readonly string[] {
  return of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** The answer to an internal failure, in the style of the endpoints of the path. */
export async function answerFailure(
  ofPath: readonly Route[],
  { request, requestId }: Pick<RoutedRequest, 'request' | 'requestId'>,
): Promise<Reply> {
  if (!ofPath.some((route) => errorStyleOf(route) === 'submission')) return internalError(requestId)
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
const submissionPaths = routes
  .filter((route) => errorStyleOf(route) === 'submission')
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.*')}/*$`))

function errorStyleOf(route: Route): ErrorStyle {
  return route.kind === 'operation' ? route.errorStyle : 'api'
}
