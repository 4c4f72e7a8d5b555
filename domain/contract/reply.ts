/** An answer as plain data; the host turns it into the platform's response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null: no body. */
  readonly body: string | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** A JSON answer. */
export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(body) }
}

/** Tenant data is for the caller alone and always read afresh. */
export const PRIVATE: Readonly<Record<string, string>> = { 'cache-control': 'private, no-store' }

/** One page of a collection or of groups, in the collection envelope (contract, Collection envelope). */
export interface Page {
  readonly organizationId: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly data: readonly unknown[]
  readonly limit: number
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** A page, for the caller alone. */
export function pageReply({ organizationId, filters, data, limit, nextCursor }: Page): Reply {
  const pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  return jsonReply(200, { organizationId, filters, data, pagination }, PRIVATE)
}

/** A failure of an authenticated route: `{ error }` (contract, Errors). */
export function errorReply(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return jsonReply(status, { error }, { ...PRIVATE, ...headers })
}

/** The one answer to a missing, malformed, unknown or revoked key. */
export function unauthorized(): Reply {
  return errorReply(401, 'Unauthorized', { 'www-authenticate': 'Bearer' })
}

/** The one answer to an id that is missing and to one that belongs to another organization. */
export function notFound(): Reply {
  return errorReply(404, 'Not found')
}

/** The organization's provider does not report what the resource is made of. */
export function unavailable(): Reply {
  return errorReply(400, "This resource is unavailable for the organization's provider.")
}

/** What the rows are read from did not answer, or answered nonsense. */
export function sourceUnavailable(): Reply {
  return errorReply(502, 'A service that this resource comes from is unavailable. Try again later.')
}

/** The method is none that the path has. `allow` lists those it has. */
export function methodNotAllowed(allow: readonly string[]): Reply {
  return errorReply(405, 'Method not allowed', { allow: allow.join(', ') })
}

/** An internal failure: one fixed sentence and the request id to find the log line by. */
export function internalError(requestId: string): Reply {
  return errorReply(500, `The request could not be processed. Request id: ${requestId}`)
}
