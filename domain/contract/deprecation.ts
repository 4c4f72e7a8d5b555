import type { Deprecation } from './endpoint.ts'
import type { Reply } from './reply.ts'

/**
 * The answer with the headers that say what takes the endpoint's place: `Deprecation` (RFC 9745) and `Link` to the
 * successor of the same thing (RFC 8288).
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
