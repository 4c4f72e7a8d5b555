import type { Reply } from './reply.ts'

/**
 * Since when an endpoint is deprecated, and which endpoint replaces it. Headers of its answers say both (RFC 9745, RFC
 * 8288).
 */
export interface Deprecation {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly sinceSeconds: number
  /**
   * The path of the endpoint that replaces it, and the path's parameter for a detail's id; null: the path has no
   * parameter.
   */
  readonly successor: { readonly path: string; readonly param: string | null }
}

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
