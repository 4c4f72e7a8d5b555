import { html } from '../../domain/text/html.ts'
import { acceptsPages } from './accepts-pages.ts'
import { failurePage } from './failure-page.ts'

/** The policy of a page, with where it may take styles, pictures and framed documents from. */
function policy({ styles = "'self'", pictures = '', frames = '' } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    // `data:` is for icons in style sheets.
    `img-src 'self' data:${pictures}`,
    ...(frames === '' ? [] : [`frame-src ${frames}`]),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The headers of the service's own pages: they load files of this service only, connect to this host only, and cannot
 * be framed.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy(),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The headers of the reference. Its viewer puts its style sheet into the page; its script is this service's own. */
export const viewerHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy({ styles: "'self' 'unsafe-inline'" }),
}

/** The headers of the local mailbox, which frames emails, and shows the pictures of messages as a phone would. */
export const mailboxHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': policy({ pictures: ' http: https:', frames: "'self'" }),
}

/** Responds to `GET` and `HEAD` with a page or another text, and to other methods with 405. */
export function pageResponse(
  request: Request,
  body: () => string,
  headers: Readonly<Record<string, string>> = pageHeaders,
): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(request)
  return new Response(request.method === 'HEAD' ? null : body(), { headers })
}

function methodNotAllowed(request: Request): Response {
  const headers = { allow: 'GET, HEAD' }
  if (!acceptsPages(request)) return Response.json({ error: 'Method not allowed' }, { status: 405, headers })
  const { markup } = failurePage('Method not allowed', html`This page can only be read.`)
  return new Response(markup, { status: 405, headers: { ...pageHeaders, ...headers } })
}

/** The page for a path that has nothing, for a browser, in place of what programs are answered. */
export function notFoundPage(request: Request, answered: Response): Response {
  const { markup } = failurePage('Not found', html`There is no page at this address.`)
  const requestId = answered.headers.get('x-request-id') ?? ''
  const headers = { ...pageHeaders, 'x-request-id': requestId }
  return new Response(request.method === 'HEAD' ? null : markup, { status: 404, headers })
}
