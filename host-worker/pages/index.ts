// The service's own pages. The first request for one loads all of them.
export { serveMailbox } from './mailbox.ts'
export { serveReference } from './reference.ts'
export { serveStart } from './start.ts'
