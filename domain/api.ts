import { handledByRoute } from './access/serve-operation.ts'
import type { OperationId } from './catalog.ts'
import type { Api, Handled } from './create-api.ts'
import { allowedMethods, createApi } from './create-api.ts'
import { preflight } from './forms/answer/preflight.ts'
import { failedReply, unknownFormReply } from './forms/answer/reply.ts'
import type { preflightForm, postSubmission } from './forms/endpoints.ts'
import { preflightRoute, submitRoute } from './forms/routes.ts'
import { serveSubmission } from './forms/serve.ts'
import { serveRead } from './read/serve-read.ts'
import type { Route } from './record/endpoint.ts'
import { routes } from './routes.ts'
import type { World } from './world.ts'

const submission = handledByRoute<typeof postSubmission, World>(submitRoute, serveSubmission)
const formPreflight = handledByRoute<typeof preflightForm, World>(preflightRoute, async () => preflight())

const analytics = () => import('./analytics/handled.ts')
const messaging = () => import('./messaging/handled.ts')

/**
 * The operations with their handlers, by id. A missing handler does not compile, nor does a handler with a reply that
 * its operation does not declare. Modules that few requests need are imported again for each of them, which is free
 * after the first time. The promise is not kept, because it may have failed, or may have been ended together with the
 * request that made it.
 */
const operations: { readonly [Id in OperationId]: Handled<Id, World> } = {
  'analytics.members': async () => (await analytics()).members,
  'analytics.cohorts': async () => (await analytics()).cohorts,
  'analytics.retentionOffers': async () => (await analytics()).retentionOffers,
  'analytics.cancellations': async () => (await analytics()).cancellations,
  'analytics.cancellationSurvey': async () => (await analytics()).cancellationSurvey,
  'contract.get': async () => (await import('./contract.ts')).contract,
  'forms.submit': submission,
  'forms.preflight': formPreflight,
  'message.send': async () => (await messaging()).message,
  'email.send': async () => (await messaging()).email,
}

const plain = createApi<World>(routes, operations, serveRead)

/** The interface of the contract: what organizations and their websites call. */
export const publicApi: Api<World> = {
  ...plain,
  serveWrongMethod: async (ofPath, routed, world) =>
    ofPath.some(isOfWebsites)
      ? failedReply(routed.request, 'method_not_allowed', 'Method not allowed', {
          allow: allowedMethods(ofPath).join(', '),
        })
      : plain.serveWrongMethod(ofPath, routed, world),
  answerFailure: async (ofPath, failed) =>
    ofPath.some(isOfWebsites)
      ? failedReply(
          failed.request,
          'internal_error',
          `The submission could not be processed and may or may not have been saved; do not send it again automatically. Request id: ${failed.requestId}`,
        )
      : plain.answerFailure(ofPath, failed),
  // When the id in the path cannot be that of a form, the path still belongs to the submission endpoint, whose replies
  // pages of any website may read.
  answerUnknownRoute: (url) =>
    submissionPaths.some((path) => path.test(url.pathname))
      ? unknownFormReply()
      : plain.answerUnknownRoute(url),
}

/** Whether pages of any origin may read the replies of a route, failures included. */
function isOfWebsites(route: Route): boolean {
  return route.kind === 'operation' && route.errorStyle === 'submission'
}

/** The paths of submissions, with any text in place of a form's id. */
const submissionPaths = routes
  .filter(isOfWebsites)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.*')}/*$`))
