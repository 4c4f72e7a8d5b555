import { MAILBOX_PATH } from './paths.ts'
import { pageResponse } from './page-headers.ts'

const plain = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
}

/**
 * Says that the service runs and its configuration is complete: without that, every path answers 503. It costs no
 * storage call, so a stranger who asks often causes no work.
 */
export function serveHealth(request: Request): Response {
  return pageResponse(request, () => '{"status":"ok"}\n', {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

/** Tells search engines to leave the interfaces alone. */
export function serveRobots(request: Request): Response {
  const lines = ['User-agent: *', ...['/api/', '/operator/', MAILBOX_PATH].map((path) => `Disallow: ${path}`)]
  return pageResponse(request, () => `${lines.join('\n')}\n`, plain)
}

/** Leads browsers that look for an icon at its old address to the one that the pages name. */
export function serveFavicon(): Response {
  return new Response(null, { status: 301, headers: { location: '/assets/icon.svg' } })
}
