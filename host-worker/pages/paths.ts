/** The paths of the service's own pages. */
export const START_PATH = '/'
export const REFERENCE_PATH = '/docs'
export const MAILBOX_PATH = '/mailbox'
