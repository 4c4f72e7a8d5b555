import type { Reply } from '../contract/reply.ts'
import type { RoutedRequest, World } from '../service.ts'
import { SUBMISSION_HEADERS } from './receipt.ts'
import { submissionReply } from './reply.ts'
import { submitForm } from './submit.ts'

/** Answers `POST /api/forms/{formId}/submissions`. Rejects only on an internal failure. */
export async function serveSubmission(
  { request, params, identified }: RoutedRequest,
  world: World,
): Promise<Reply> {
  const { formId = '' } = params
  try {
    return await submissionReply(request, await submitForm(formId, request, world))
  } finally {
    const form = world.formCache.get(formId)
    if (form !== null) identified(form.stored.organizationId)
  }
}

/** Answers a cross-origin preflight (contract, response rule 7). */
export function preflight(): Reply {
  return {
    status: 204,
    headers: {
      ...SUBMISSION_HEADERS,
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Accept',
    },
    body: null,
  }
}
