// What is kept with a submission besides its answers: see `domain/forms/moving-in.ts`.

/** How many texts that a form does not ask for are kept with a submission, and how long their names may be. */
export const EXTRA_MAX = 50
export const EXTRA_NAME_MAX_LENGTH = 200

/** The keys under which a page says the subject of the notification, and the address for replies. No field has them. */
export const SUBJECT_KEY = '_subject'
export const REPLY_TO_KEY = '_replyto'

/** Longest subject of a notification, in UTF-16 units. */
export const SUBJECT_MAX_LENGTH = 200
