// The service's own pages. The first request for one loads all of them.
export { acceptsPages } from './accepts-pages.ts'
export { serveConsole } from './console.ts'
export { serveFavicon, serveHealth, serveRobots } from './for-programs.ts'
export { serveGuides, serveLlms } from './guides.ts'
export { notFoundPage } from './page-headers.ts'
export { serveReference } from './reference.ts'
export { serveStart } from './start.ts'
