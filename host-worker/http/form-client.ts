import { namesEtag } from '../../domain/text/etag.ts'

/** Where the browser client is served: `import { attach } from 'https://…/form-client.js'`. */
export const FORM_CLIENT_PATH = '/form-client.js'

/** The built client: its text, and a hash that changes with it. */
export interface FormClient {
  readonly source: string
  readonly hash: string
}

/**
 * Serves the browser client to pages of any origin, as modules are fetched with CORS. An hour in a cache is short
 * enough for a fix to arrive by itself; with `?v=HASH` it may be kept for ever.
 */
export function serveFormClient(request: Request, { source, hash }: FormClient): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return Response.json({ error: 'Method not allowed' }, { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  const etag = `"${hash}"`
  const isPinned = new URL(request.url).searchParams.get('v') === hash
  const headers = {
    etag,
    'cache-control': isPinned ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  }
  if (namesEtag(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : source, { headers })
}
