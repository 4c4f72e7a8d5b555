/** The paths of the service's own pages. The last one is there on a developer's machine alone. */
export const START_PATH = '/'
export const REFERENCE_PATH = '/docs'
export const GUIDES_PATH = '/guides'
export const CONSOLE_PATH = '/console'
export const MAILBOX_PATH = '/mailbox'

/** The paths that programs look for at any host. */
export const HEALTH_PATH = '/health'
export const FAVICON_PATH = '/favicon.ico'
export const ROBOTS_PATH = '/robots.txt'
export const LLMS_PATH = '/llms.txt'

/** Paths with this prefix are static files, which the platform serves without the Worker. */
export const ASSETS_PREFIX = '/assets/'
