import type { ReplyOf, RequestOf } from '../record/operation.ts'
import { contentTypeOf } from '../text/content-type.ts'
import { submissionReply } from './answer/reply.ts'
import type { submitForm as submitFormOperation } from './endpoints.ts'
import type { SubmissionWorld } from './submit/submit.ts'
import { submitForm } from './submit/submit.ts'

/** Answers `POST /api/forms/{formId}/submissions`. Rejects only on an internal failure. */
export async function serveSubmission(
  { request, params, identified }: RequestOf<typeof submitFormOperation>,
  world: SubmissionWorld,
): Promise<ReplyOf<typeof submitFormOperation>> {
  const { formId = '' } = params
  // Both the body's reader and the choice between a page and JSON go by the content type.
  const contentType = contentTypeOf(request.headers)
  const result = await submitForm(formId, { request, contentType }, world, identified)
  return submissionReply(request.headers, contentType, result)
}
