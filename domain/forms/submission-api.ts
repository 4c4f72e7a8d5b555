import type { HandlerFor } from '../access/serve-operation.ts'
import { allowedMethods, type Api } from '../create-api.ts'
import { preflight } from './answer/preflight.ts'
import { unknownOutcome } from './answer/receipt.ts'
import { failedReply, unknownFormReply } from './answer/reply.ts'
import type { postSubmission, preflightForm } from './endpoints.ts'
import { preflightRoute, submitRoute } from './routes.ts'
import { serveSubmission } from './serve.ts'
import type { SubmissionWorld } from './submit/submit.ts'

const submit: HandlerFor<typeof postSubmission, SubmissionWorld> = serveSubmission
const allow: HandlerFor<typeof preflightForm, SubmissionWorld> = async () => preflight()

/**
 * What websites call: the part of the public interface whose replies, failures included, pages of any origin may read.
 * It needs no more than forms, so an isolate that takes submissions loads nothing else.
 */
export const submissionApi: Api<SubmissionWorld> = {
  routes: [submitRoute, preflightRoute],
  serve: ({ id }, routed, world) =>
    (id === submitRoute.id ? submit : allow)({ ...routed, query: {} }, world, null),
  serveWrongMethod: async (ofPath, { request }) =>
    failedReply(request, 'method_not_allowed', 'Method not allowed', {
      allow: allowedMethods(ofPath).join(', '),
    }),
  answerFailure: async (_ofPath, { request, requestId }) =>
    failedReply(request, 'internal_error', unknownOutcome(requestId)),
  answerUnknownRoute: () => unknownFormReply(),
}
