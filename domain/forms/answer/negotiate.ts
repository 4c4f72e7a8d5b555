import { acceptNames, type HeaderValue } from '../../text/content-type.ts'

/**
 * Whether a request gets a page as its reply: it is not JSON, and it accepts `text/html` by name and not
 * `application/json` (contract, Response rules 1 and 2). A request without a content type, or with one that was not
 * understood, is not JSON.
 * @param contentType the parsed `Content-Type` header
 */
export function wantsPage(contentType: HeaderValue | null, headers: Headers): boolean {
  if (contentType?.value === 'application/json') return false
  const accept = headers.get('accept')
  return acceptNames(accept, 'text/html') && !acceptNames(accept, 'application/json')
}
