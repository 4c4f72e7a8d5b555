import { namesEtag } from '../../domain/text/http.ts'

/** The path of the browser client: `import { attach } from 'https://…/form-client.js'`. */
export const FORM_CLIENT_PATH = '/form-client.js'

/** The built client: its text, and a hash of it. */
export interface FormClient {
  readonly source: string
  readonly hash: string
}

/**
 * Serves the browser client to pages of any origin, because browsers fetch modules with CORS. Caches may keep it for an
 * hour, which is short enough for fixes to arrive by themselves; with `?v=HASH` they may keep it for ever.
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
