import { acceptNames } from '../contract/accept.ts'
import { parseHeaderValue } from '../text/header-value.ts'

/**
 * Whether a request is answered with a page: it is not JSON, and it accepts `text/html` by name and not
 * `application/json` (contract, Response rules 1 and 2). A request without a content type, or with one that was not
 * understood, is not JSON.
 */
export function wantsPage(request: Request): boolean {
  const type = parseHeaderValue(request.headers.get('content-type') ?? '')
  if (type?.value === 'application/json') return false
  const accept = request.headers.get('accept')
  return acceptNames(accept, 'text/html') && !acceptNames(accept, 'application/json')
}
