import type * as Pages from './pages/index.ts'
import type { Env } from './env/index.ts'
import { QSTASH_PATH } from './env/queues.ts'
import * as paths from './pages/paths.ts'

/** Paths with this prefix belong to the operator interface. */
export const OPERATOR_PREFIX = '/operator/'

/** Paths with this prefix belong to the form client. */
export const FORM_CLIENT_PREFIX = '/forms/'

/**
 * Serves the host's own endpoints, such as QStash deliveries, and its pages. Few requests need them, so each is loaded
 * on demand. Null: the request is for none of them, or the endpoint is not configured.
 */
export async function serveOwn(request: Request, { pathname }: URL, env: Env): Promise<Response | null> {
  if (pathname === QSTASH_PATH) return (await import('./wiring/jobs.ts')).serveQstash(request, env)
  // Both answer in JSON alone, also where there is nothing.
  if (pathname.startsWith(OPERATOR_PREFIX) || pathname.startsWith(FORM_CLIENT_PREFIX)) return null
  const pages = await import('./pages/index.ts')
  return (
    (await servePage(request, pathname, env, pages)) ??
    (pages.acceptsPages(request) ? pages.notFoundPage(request) : null)
  )
}

async function servePage(
  request: Request,
  pathname: string,
  env: Env,
  pages: typeof Pages,
): Promise<Response | null> {
  if (pathname.startsWith(paths.MAILBOX_PATH)) return pages.serveMailbox(request, env)
  if (pathname === paths.GUIDES_PATH || pathname.startsWith(`${paths.GUIDES_PATH}/`))
    return pages.serveGuides(request, pathname)
  switch (pathname) {
    case paths.START_PATH:
      return pages.serveStart(request, env)
    case paths.REFERENCE_PATH:
    case `${paths.REFERENCE_PATH}/`:
      return pages.serveReference(request)
    case paths.HEALTH_PATH:
      return pages.serveHealth(request)
    case paths.ROBOTS_PATH:
      return pages.serveRobots(request)
    case paths.FAVICON_PATH:
      return pages.serveFavicon()
    case paths.LLMS_PATH:
      return pages.serveLlms(request)
    default:
      return null
  }
}
