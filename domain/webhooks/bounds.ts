/** The bounds of what is said of a webhook. */
export const DESCRIPTION_MAX_LENGTH = 200
export const FORMS_MAX = 100

/** The maximum number of webhooks of an organization: each of them gets a row and a call for each event. */
export const WEBHOOKS_MAX = 20

/** The event that somebody asks for, to try a webhook. */
export const TEST_EVENT = 'test'
