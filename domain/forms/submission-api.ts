import type { HandlerFor, Served } from '../access/serve-operation.ts'
import type { Api } from '../create-api.ts'
import { preflight, failedReply, unknownFormReply } from './reply.ts'
import { unknownOutcome } from './result.ts'
import type { postSubmission, preflightForm } from './endpoints.ts'
import { preflightOperation, submitOperation } from './routes.ts'
import { serveSubmission, type SubmissionWorld } from './submit.ts'

/**
 * What websites call: the part of the public interface whose replies, failures included, pages of any origin may read.
 * It needs no more than forms, so an isolate that takes submissions loads nothing else, not even the records.
 */
export const submissionApi: Api<SubmissionWorld> = {
  routes: [
    {
      ...submitOperation,
      ...served<typeof postSubmission>(async (routed, world) => serveSubmission(routed, world)),
    },
    { ...preflightOperation, ...served<typeof preflightForm>(async () => preflight()) },
  ],
  answerWrongMethod: async (allowed, { request }) =>
    failedReply(request, 'method_not_allowed', 'Method not allowed', { allow: allowed.join(', ') }),
  answerFailure: async ({ request, requestId }) =>
    failedReply(request, 'internal_error', unknownOutcome(requestId)),
  answerUnknownRoute: () => unknownFormReply(),
}

/** Serves an operation that anybody may call. */
function served<Record extends typeof postSubmission | typeof preflightForm>(
  handler: HandlerFor<Record, SubmissionWorld>,
): Served<SubmissionWorld> {
  return {
    serve: async (routed, world) => handler({ ...routed, query: {} }, world, null),
    judge: async (_routed, _world, verdict) => verdict,
  }
}
