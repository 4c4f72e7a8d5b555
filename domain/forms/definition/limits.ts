// Lengths of texts are in characters as `characterCount` counts them: a line break is one, however it was sent.

/** Largest complete body, multipart overhead included (contract, Limits). */
export const BODY_MAX_BYTES = 65_536

/** Longest `_gotcha`, in characters (contract, Limits). */
export const GOTCHA_MAX_LENGTH = 10_000

/** Longest `_password`, in characters (contract, Limits). */
export const PASSWORD_MAX_LENGTH = 1_024

/** Longest `_redirect`, in characters (contract, Limits). */
export const REDIRECT_MAX_LENGTH = 2_000

/** Longest text answer, in characters (contract, Limits). */
export const ANSWER_MAX_LENGTH = 10_000

/** The maximum number of items of a multiple choice (contract, Limits). */
export const ITEMS_MAX = 100

/** The maximum number of addresses that one submission notifies: a stranger's request must not send more mail. */
export const NOTIFICATION_EMAILS_MAX = 20

/** The maximum length of a form's identifier, in characters (contract, path parameter `formId`). */
export const FORM_ID_MAX_LENGTH = 200

/** Identifiers of forms. */
export const FORM_ID = new RegExp(`^[A-Za-z0-9_-]{1,${FORM_ID_MAX_LENGTH}}$`)
