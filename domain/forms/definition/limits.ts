/** Largest complete body, multipart overhead included (contract, Limits). */
export const BODY_MAX_BYTES = 65_536

/** Longest `_gotcha`, in UTF-16 units (contract, Limits). */
export const GOTCHA_MAX_LENGTH = 10_000

/** Longest `_password`, in UTF-16 units (contract, Limits). */
export const PASSWORD_MAX_LENGTH = 1_024

/** Longest `_redirect`, in UTF-16 units (contract, Limits). */
export const REDIRECT_MAX_LENGTH = 2_000

/** Longest text answer, in UTF-16 units (contract, Limits). */
export const ANSWER_MAX_LENGTH = 10_000

/** The maximum number of items of a multiple choice (contract, Limits). */
export const ITEMS_MAX = 100

/** The maximum length of a form's identifier, in characters (contract, path parameter `formId`). */
export const FORM_ID_MAX_LENGTH = 200

/** Identifiers of forms. */
export const FORM_ID = new RegExp(`^[A-Za-z0-9_-]{1,${FORM_ID_MAX_LENGTH}}$`)
