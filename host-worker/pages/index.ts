// The service's own pages, loaded together by the first request for one.
export { serveMailbox } from './mailbox.ts'
export { serveReference } from './reference.ts'
export { serveStart } from './start.ts'
