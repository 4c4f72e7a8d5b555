import type { Deprecation } from './endpoint.ts'
import type { Reply } from './reply.ts'

/**
 * Adds the headers of a deprecated endpoint to an answer: `Deprecation` (RFC 9745), and a `Link` to the same collection
 * or row at the successor (RFC 8288).
 * @param id of a detail's row, decoded; null for a collection
 */
export function withDeprecation(
  reply: Reply,
  { sinceSeconds, successor }: Deprecation,
  id: string | null,
): Reply {
  const path = successorPath(successor, encodeURIComponent(id?.toWellFormed() ?? ''))
  const headers = {
    ...reply.headers,
    deprecation: `@${sinceSeconds}`,
    link: `<${path}>; rel="successor-version"`,
  }
  return { ...reply, headers }
}

function successorPath({ path, param }: Deprecation['successor'], encodedId: string): string {
  return param === null ? path : path.replace(`{${param}}`, () => encodedId)
}
