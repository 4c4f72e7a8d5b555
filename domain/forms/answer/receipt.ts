import { PROBLEMS_MAX } from '../../bounds/echo.ts'
import { jsonReply } from '../../record/operation/reply.ts'
import { failureStatus, type FailureCode, type FieldErrors, type SubmissionResult } from './result.ts'
import type { SubmissionError, SubmissionReceipt } from './schema.ts'

/**
 * The headers of every reply of the submission endpoint: pages of any origin may read it, failures included, and nobody
 * may cache it.
 */
export const SUBMISSION_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
}

/** The JSON reply to a submission: the receipt or the error body. It never contains answers. */
export function receiptReply(result: SubmissionResult) {
  switch (result.kind) {
    case 'saved': {
      const { submissionId, title, message, redirectUrl } = result
      const redirect = redirectUrl === null ? {} : { redirectUrl }
      return receipt({ ok: true, submissionId, title, message, ...redirect })
    }
    case 'honeypot':
      return receipt({ ok: true, message: result.message })
    case 'refused':
      return submissionFailure(result.code, result.error, {}, result.fieldErrors)
  }
}

function receipt(body: SubmissionReceipt) {
  return jsonReply(200, body, SUBMISSION_HEADERS)
}

/** What is told of a submission that failed within the service: nobody knows whether it was saved. */
export function unknownOutcome(requestId: string): string {
  return `The submission could not be processed and may or may not have been saved; do not send it again automatically. Request id: ${requestId}`
}

/** A failure of the submission endpoint: `{ ok, code, error, fieldErrors? }`. */
export function submissionFailure<Code extends FailureCode>(
  code: Code,
  error: string,
  headers: Readonly<Record<string, string>> = {},
  fieldErrors: FieldErrors | null = null,
) {
  // Unlike assignment, `fromEntries` treats `__proto__` as an ordinary key.
  const listed = fieldErrors === null ? null : Object.fromEntries([...fieldErrors].slice(0, PROBLEMS_MAX))
  const details = listed === null ? {} : { fieldErrors: listed }
  const body: SubmissionError = { ok: false, code, error, ...details }
  return jsonReply(failureStatus[code], body, { ...SUBMISSION_HEADERS, ...headers })
}
