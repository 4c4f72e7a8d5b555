import type { Reply } from '../contract/reply.ts'
import { jsonReply } from '../contract/reply.ts'
import type { FieldErrors, SubmissionResult } from './result.ts'

/** Any page may read every answer of the submission endpoint, failures too; nobody may keep one. */
export const SUBMISSION_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
}

/** The JSON answer to a submission: the receipt or the error body. It never holds answers. */
export function receiptReply(result: SubmissionResult): Reply {
  switch (result.kind) {
    case 'saved': {
      const { submissionId, title, message, redirectUrl } = result
      const redirect = redirectUrl === null ? {} : { redirectUrl }
      return jsonReply(200, { ok: true, submissionId, title, message, ...redirect }, SUBMISSION_HEADERS)
    }
    case 'honeypot':
      return jsonReply(200, { ok: true, message: result.message }, SUBMISSION_HEADERS)
    case 'refused':
      return submissionFailure(result.status, result.code, result.error, {}, result.fieldErrors)
  }
}

/** A failure of the submission endpoint: `{ ok, code, error, fieldErrors? }`. */
export function submissionFailure(
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>> = {},
  fieldErrors: FieldErrors | null = null,
): Reply {
  // `fromEntries` makes `__proto__` a key like any other.
  const details = fieldErrors === null ? {} : { fieldErrors: Object.fromEntries(fieldErrors) }
  return jsonReply(status, { ok: false, code, error, ...details }, { ...SUBMISSION_HEADERS, ...headers })
}
