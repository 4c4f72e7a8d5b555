import { isLoopbackHost, isLoopbackName } from '../domain/text/http/loopback.ts'
import { ASSETS_PREFIX } from './pages/paths.ts'

/** The bindings that a local start adds: a function that marks it, and the static files. */
interface LocalBindings {
  readonly LOCAL_START: object
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
}

/** Whether this is a local start. Its mark is no variable, but a binding that a deployment cannot have by mistake. */
export function isLocalStart(
  bindings: Readonly<Record<string, unknown>>,
): bindings is Readonly<Record<string, unknown>> & LocalBindings {
  return typeof bindings.LOCAL_START === 'object' && bindings.LOCAL_START !== null
}

/**
 * Refuses a request to a local start under any name but those of this machine, and serves static files. A page in the
 * developer's browser may have a name that its owner lets lead to 127.0.0.1 (DNS rebinding); to the browser this service
 * would then belong to that page, which could read the mailbox. Only `Host` counts, and the host of the request's target:
 * a page can set every other header. Null: the request is for the service.
 */
export async function guardLocalStart(
  request: Request,
  url: URL,
  { ASSETS }: LocalBindings,
): Promise<Response | null> {
  if (!isLoopbackHost(request.headers.get('host')) || !isLoopbackName(url.hostname)) {
    const error = 'A local start answers only requests to localhost, 127.0.0.1 or [::1].'
    return Response.json({ error }, { status: 403 })
  }
  return ASSETS !== undefined && url.pathname.startsWith(ASSETS_PREFIX) ? ASSETS.fetch(request) : null
}
