import { PROBLEMS_MAX } from '../../bounds/echo.ts'
import { jsonReply } from '../../record/reply.ts'
import type { FailureCode, FieldErrors, SubmissionResult } from './result.ts'
import { failureStatus } from './result.ts'
import type { SubmissionError, SubmissionReceipt } from './schema.ts'

/** Any page may read every answer of the submission endpoint, failures too; nobody may keep one. */
export const SUBMISSION_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
}

/** The JSON answer to a submission: the receipt or the error body. It never holds answers. */
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

/** A failure of the submission endpoint: `{ ok, code, error, fieldErrors? }`. */
export function submissionFailure<Code extends FailureCode>(
  code: Code,
  error: string,
  headers: Readonly<Record<string, string>> = {},
  fieldErrors: FieldErrors | null = null,
) {
  // `fromEntries` makes `__proto__` a key like any other.
  const listed = fieldErrors === null ? null : Object.fromEntries([...fieldErrors].slice(0, PROBLEMS_MAX))
  const details = listed === null ? {} : { fieldErrors: listed }
  const body: SubmissionError = { ok: false, code, error, ...details }
  return jsonReply(failureStatus[code], body, { ...SUBMISSION_HEADERS, ...headers })
}
