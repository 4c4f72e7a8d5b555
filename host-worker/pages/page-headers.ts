/** A page of the service's own: it loads its own files, talks to its own host, and cannot be framed. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The viewer's icons are data URLs in its style sheet.
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

/** Answers `GET` and `HEAD` with a page, another method with 405. */
export function pageResponse(request: Request, markup: () => string): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return Response.json({ error: 'Method not allowed' }, { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  return new Response(request.method === 'HEAD' ? null : markup(), { headers: pageHeaders })
}
