import type { HandledOperation } from './access/serve-operation.ts'
import { handled } from './access/serve-operation.ts'
import * as survey from './analytics/cancellation-survey.ts'
import * as cancellations from './analytics/cancellations.ts'
import * as cohorts from './analytics/cohorts.ts'
import * as members from './analytics/members.ts'
import * as offers from './analytics/retention-offers.ts'
import type { OperationId } from './catalog.ts'
import { endpoints } from './catalog.ts'
import type { Api } from './create-api.ts'
import { allowedMethods, createApi } from './create-api.ts'
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

const plain = createApi<World>(endpoints, operations, serveRead)

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
  // Where a form's id cannot be one, the path still belongs to the endpoint that any website may read.
  answerUnknownRoute: (url) =>
    submissionPaths.some((path) => path.test(url.pathname))
      ? unknownFormReply()
      : plain.answerUnknownRoute(url),
}

/** Whether pages of any origin may read what an endpoint answers, its failures included. */
function isOfWebsites(endpoint: Endpoint): boolean {
  return endpoint.kind === 'operation' && endpoint.errorStyle === 'submission'
}

/** The paths of submissions, with anything in the place of a form's id. */
const submissionPaths = endpoints
  .filter(isOfWebsites)
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '.*')}/*$`))
