import { isLoopbackHost, isLoopbackName } from '../../domain/text/http.ts'

/**
 * Refuses a request to a local start under any name but those of this machine. A page in the developer's browser may
 * have a name that its owner lets lead to 127.0.0.1 (DNS rebinding); to the browser this service would then belong to
 * that page, which could read the mailbox and the key on the start page. Only `Host` counts, and the host of the
 * request's target: a page can set every other header. Null: the request is from this machine.
 */
export function refuseStranger(request: Request, url: URL): Response | null {
  if (isLoopbackHost(request.headers.get('host')) && isLoopbackName(url.hostname)) return null
  const error =
    'A local start answers only requests to localhost, 127.0.0.1 or [::1]. When wrangler.toml has routes, wrangler dev gives every request the name of the first one: use npm start.'
  return Response.json({ error }, { status: 403 })
}
