/** The paths of the service's own pages. */
export const START_PATH = '/'
export const REFERENCE_PATH = '/docs'
export const MAILBOX_PATH = '/mailbox'

/** Paths with this prefix are static files, which the platform serves without the Worker. */
export const ASSETS_PREFIX = '/assets/'
