import { keysOf } from '../text/encoding.ts'
import { PROBLEMS_MAX } from '../limits/limits.ts'
import type { Voice } from './language/words.ts'
import { jsonReply } from '../record/reply.ts'

/**
 * The HTTP status of every failure code of the submission endpoint, including that of a method that it does not have.
 */
export const failureStatus = {
  invalid_body: 400,
  password_required: 401,
  invalid_password: 401,
  form_not_found: 404,
  hosted_form_required: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  invalid_redirect: 422,
  submission_limit_reached: 422,
  method_not_allowed: 405,
  internal_error: 500,
} as const
export type FailureCode = keyof typeof failureStatus

/** The failure codes, in the order of the contract document. */
export const failureCodes = keysOf(failureStatus)

/** The codes with which a submission itself can be refused. */
export type RefusalCode = Exclude<FailureCode, 'method_not_allowed'>

/** Messages by field id. A Map, because an unknown key of a request may be called `__proto__`. */
export type FieldErrors = ReadonlyMap<string, string>

/** Nothing was saved, and why. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: (typeof failureStatus)[RefusalCode]
  readonly code: RefusalCode
  /** A sentence for the visitor. */
  readonly error: string
  readonly fieldErrors: FieldErrors | null
  /** The labels of fields that are wrong, by id. Other keys of a request have none. */
  readonly fieldLabels: ReadonlyMap<string, string>
  /** Whether only the page that sent the form can be mended, where the code alone does not say so. */
  readonly isOfPage: boolean
  /** The page where a form that cannot be submitted here can be completed; null when that is not known. */
  readonly hostedUrl: string | null
  /** How the form speaks to its visitors; null: no form is known, or in English. */
  readonly voice: Voice | null
}

/** The submission was saved; its follow-up work is in the outbox. */
export interface Saved {
  readonly kind: 'saved'
  readonly submissionId: string
  readonly title: string
  readonly message: string
  /** The validated absolute thank-you URL; null when none was asked for. */
  readonly redirectUrl: string | null
  readonly voice: Voice | null
}

/** The bot trap was filled. The reply looks like an ordinary acknowledgment, but nothing was saved. */
export interface Honeypot {
  readonly kind: 'honeypot'
  readonly title: string
  readonly message: string
  readonly voice: Voice | null
}

export type SubmissionResult = Saved | Honeypot | Refused

/** Refuses a submission with the status of its code. */
export function refused(code: RefusalCode, error: string): Refused {
  const status = failureStatus[code]
  return {
    kind: 'refused',
    status,
    code,
    error,
    fieldErrors: null,
    fieldLabels: new Map(),
    isOfPage: false,
    hostedUrl: null,
    voice: null,
  }
}

/** The same refusal for a form that is missing, unpublished or cannot exist, so that callers cannot tell them apart. */
export function formNotFound(): Refused {
  return refused('form_not_found', 'There is no such form.')
}

/**
 * Refuses a submission because of the values of some keys.
 * @param error a sentence for the visitor
 * @param fields the form's fields by id, for their labels
 */
export function refusedFields(
  error: string,
  fieldErrors: FieldErrors,
  fields: ReadonlyMap<string, { readonly label: string }> = new Map(),
): Refused {
  const labels = [...fieldErrors.keys()].flatMap((id) => {
    const field = fields.get(id)
    return field === undefined ? [] : [[id, field.label] as const]
  })
  return { ...refused('validation_error', error), fieldErrors, fieldLabels: new Map(labels) }
}

/**
 * The methods and headers that a page of another origin may use (contract, response rule 7), and the headers that it may
 * read.
 */
export const ALLOWED_METHODS = 'POST, OPTIONS'
export const ALLOWED_HEADERS = 'Content-Type, Accept'
export const EXPOSED_HEADERS = 'X-Request-Id'
/** For how many seconds a browser need not ask again: a day, of which some take less. */
export const PREFLIGHT_MAX_AGE = '86400'

/**
 * The headers of every reply of the submission endpoint: pages of any origin may read it, failures included, and nobody
 * may cache it.
 */
export const SUBMISSION_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  // Who asks about a failure is asked for the request's id, which a page of another origin cannot read otherwise.
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'no-store',
}

/** The JSON reply to a submission: the receipt or the error body. It never contains answers. */
export function receiptReply(result: SubmissionResult) {
  switch (result.kind) {
    case 'saved': {
      const { submissionId, title, message, redirectUrl } = result
      const redirect = redirectUrl === null ? {} : { redirectUrl }
      return jsonReply(
        200,
        { ok: true as const, submissionId, title, message, ...redirect },
        SUBMISSION_HEADERS,
      )
    }
    case 'honeypot':
      return jsonReply(200, { ok: true as const, message: result.message }, SUBMISSION_HEADERS)
    case 'refused':
      return submissionFailure(result.code, result.error, {}, result.fieldErrors)
  }
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
  const body = { ok: false as const, code, error, ...details }
  return jsonReply(failureStatus[code], body, { ...SUBMISSION_HEADERS, ...headers })
}
