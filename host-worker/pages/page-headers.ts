/**
 * The headers of the service's own pages: they load files of this service only, connect to this host only, and cannot
 * be framed.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // `data:` is for the icons in the viewer's style sheet.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Responds to `GET` and `HEAD` with a page, and to other methods with 405. */
export function pageResponse(request: Request, markup: () => string): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return Response.json({ error: 'Method not allowed' }, { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  return new Response(request.method === 'HEAD' ? null : markup(), { headers: pageHeaders })
}
