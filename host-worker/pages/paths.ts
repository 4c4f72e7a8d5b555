/** Where the service's own pages are. */
export const START_PATH = '/'
export const REFERENCE_PATH = '/docs'
export const MAILBOX_PATH = '/mailbox'
