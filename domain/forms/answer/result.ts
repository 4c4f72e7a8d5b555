import { keysOf } from '../../text/keys-of.ts'

/** The status of every failure code of the submission endpoint. A method that it does not have has one too. */
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

/** Those codes, in the order of the contract document. */
export const failureCodes = keysOf(failureStatus)

/** What a submission itself can be refused with. */
export type RefusalCode = Exclude<FailureCode, 'method_not_allowed'>

/** Messages by field id. A Map, because an unknown key of a request may be called `__proto__`. */
export type FieldErrors = ReadonlyMap<string, string>

/** Nothing was saved, and why. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: (typeof failureStatus)[RefusalCode]
  readonly code: RefusalCode
  /** A sentence for people. */
  readonly error: string
  readonly fieldErrors: FieldErrors | null
  /** The labels of those fields by id. Other keys of a request have none. */
  readonly fieldLabels: ReadonlyMap<string, string>
  /** Where a form that cannot be submitted here can be completed; null when that is not known. */
  readonly hostedUrl: string | null
}

/** The submission was persisted; what follows from it waits in the outbox. */
export interface Saved {
  readonly kind: 'saved'
  readonly submissionId: string
  readonly title: string
  readonly message: string
  /** The validated absolute thank-you URL; null when none was asked for. */
  readonly redirectUrl: string | null
}

/** The bot trap was filled: an ordinary acknowledgment, and nothing was saved. */
export interface Honeypot {
  readonly kind: 'honeypot'
  readonly message: string
}

export type SubmissionResult = Saved | Honeypot | Refused

/** Refuses a submission with the status of its code. */
export function refused(code: RefusalCode, error: string): Refused {
  const status = failureStatus[code]
  return { kind: 'refused', status, code, error, fieldErrors: null, fieldLabels: new Map(), hostedUrl: null }
}

/** The one answer for a form that is missing, unpublished or impossible. */
export function formNotFound(): Refused {
  return refused('form_not_found', 'There is no such form.')
}

/**
 * Refuses a submission because of the values of some keys.
 * @param fields the form's fields by id, which have the labels
 */
export function refusedFields(
  fieldErrors: FieldErrors,
  fields: ReadonlyMap<string, { readonly label: string }> = new Map(),
): Refused {
  const error = fieldErrors.size === 1 ? 'One value needs attention.' : 'Some values need attention.'
  const labels = [...fieldErrors.keys()].flatMap((id) => {
    const field = fields.get(id)
    return field === undefined ? [] : [[id, field.label] as const]
  })
  return { ...refused('validation_error', error), fieldErrors, fieldLabels: new Map(labels) }
}
