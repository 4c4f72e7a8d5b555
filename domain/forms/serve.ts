import type { ReplyOf, RequestOf } from '../record/operation/operation.ts'
import { contentTypeOf } from '../text/content-type.ts'
import { submissionReply } from './answer/reply.ts'
import type { postSubmission } from './endpoints.ts'
import { submitForm, type SubmissionWorld } from './submit/submit.ts'

/** Answers `POST /api/forms/{formId}/submissions`. Rejects only on an internal failure. */
export async function serveSubmission(
  { request, params, identified }: RequestOf<typeof postSubmission>,
  world: SubmissionWorld,
): Promise<ReplyOf<typeof postSubmission>> {
  const { formId = '' } = params
  // The content type is parsed once: reading the body and choosing between a page and JSON both depend on it.
  const contentType = contentTypeOf(request.headers)
  const result = await submitForm(formId, { request, contentType }, world, identified)
  return submissionReply(request.headers, contentType, result)
}
