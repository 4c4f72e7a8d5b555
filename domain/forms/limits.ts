/** Longest `_password`, in UTF-16 units (contract, Limits). */
export const PASSWORD_MAX_LENGTH = 1_024

/** Longest text answer, in UTF-16 units (contract, Limits). */
export const ANSWER_MAX_LENGTH = 10_000

/** Identifiers of forms (contract, path parameter `formId`). */
export const FORM_ID = /^[A-Za-z0-9_-]{1,200}$/
