import { FORM_PAGE_PREFIX } from '../domain/forms/page-path.ts'
import type * as Pages from './pages/index.ts'
import { QSTASH_PATH, RESEND_EVENTS_PATH, type Env } from './env/index.ts'
import { isConsoleCall } from './http/fetch-handler.ts'
import * as paths from './pages/paths.ts'

/** Paths with this prefix belong to the contract; the service's own pages and callbacks have other paths. */
export const API_PREFIX = '/api/'

/** Paths with this prefix belong to the operator interface. */
export const OPERATOR_PREFIX = '/operator/'

/** Paths with this prefix belong to the form client. */
export const FORM_CLIENT_PREFIX = '/forms/'

/**
 * Serves the host's own endpoints, such as QStash deliveries and the events of Resend, and its pages. Few requests need them, so each is loaded
 * on demand. Null: the request is for none of them, or the endpoint is not configured.
 */
export async function serveOwn(request: Request, { pathname }: URL, env: Env): Promise<Response | null> {
  if (pathname === QSTASH_PATH) return (await import('./wiring/jobs.ts')).serveQstash(request, env)
  if (pathname === RESEND_EVENTS_PATH)
    return (await import('./wiring/jobs.ts')).serveResendEvent(request, env)
  if (isOfInterface(pathname) || isConsoleCall(request, pathname)) return null
  return servePage(request, pathname, await import('./pages/index.ts'))
}

/** The answer to a path that has nothing, as a page for a browser. It keeps the id under which it is logged. */
export async function notFoundFor(
  request: Request,
  { pathname }: URL,
  answered: Response,
): Promise<Response> {
  if (answered.status !== 404 || isOfInterface(pathname)) return answered
  const pages = await import('./pages/index.ts')
  return pages.acceptsPages(request) ? pages.notFoundPage(request, answered) : answered
}

/** Whether a path belongs to an interface, which answers in its own way also where there is nothing. */
function isOfInterface(pathname: string): boolean {
  const prefixes = [API_PREFIX, OPERATOR_PREFIX, FORM_CLIENT_PREFIX, FORM_PAGE_PREFIX]
  return prefixes.some((prefix) => pathname.startsWith(prefix))
}

async function servePage(request: Request, pathname: string, pages: typeof Pages): Promise<Response | null> {
  if (pathname === paths.CONSOLE_PATH || pathname.startsWith(`${paths.CONSOLE_PATH}/`))
    return pages.serveConsole(request)
  if (pathname === paths.GUIDES_PATH || pathname.startsWith(`${paths.GUIDES_PATH}/`))
    return pages.serveGuides(request, pathname)
  switch (pathname) {
    case paths.START_PATH:
      return pages.serveStart(request)
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
