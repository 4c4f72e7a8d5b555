import * as v from 'valibot'
import { component } from './meaning.ts'

/** An answer as plain data; the host turns it into the platform's response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null: no body. */
  readonly body: string | null
}

/** A JSON answer that keeps the value from which its text was written, so that the compiler can check it. */
export interface JsonReply<Status extends number, Body> extends Reply {
  readonly status: Status
  readonly body: string
  readonly value: Body
}

/** An answer of text that is not JSON, such as a page. */
export interface TextReply<Status extends number> extends Reply {
  readonly status: Status
  readonly body: string
  readonly value?: never
}

/** An answer without a body. */
export interface EmptyReply<Status extends number> extends Reply {
  readonly status: Status
  readonly body: null
  readonly value?: never
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** A JSON answer. */
export function jsonReply<Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): JsonReply<Status, Body> {
  return writtenReply(status, body, JSON.stringify(body), headers)
}

/** A JSON answer whose text was written before. */
export function writtenReply<Status extends number, Body>(
  status: Status,
  value: Body,
  text: string,
  headers: Readonly<Record<string, string>>,
): JsonReply<Status, Body> {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: text, value }
}

/** A JSON answer that storage wrote: it exists as text only. */
export function jsonTextReply(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body }
}

/** Tenant data is for the caller alone and always read afresh. */
export const PRIVATE: Readonly<Record<string, string>> = { 'cache-control': 'private, no-store' }

/** One page of a collection or of groups, in the collection envelope (contract, Collection envelope). */
export interface Page {
  readonly organizationId: string
  readonly filters: Readonly<Record<string, unknown>>
  /** The published rows, each as JSON text. */
  readonly data: readonly string[]
  readonly limit: number
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** A page, for the caller alone. */
export function pageReply({ organizationId, filters, data, limit, nextCursor }: Page): Reply {
  const pagination = { limit, hasMore: nextCursor !== null, nextCursor }
  // Rows that storage wrote as JSON are inserted as text, which saves parsing and writing them again.
  const before = `{"organizationId":${JSON.stringify(organizationId)},"filters":${JSON.stringify(filters)}`
  return jsonTextReply(
    200,
    `${before},"data":[${data.join()}],"pagination":${JSON.stringify(pagination)}}`,
    PRIVATE,
  )
}

/** The body of a failure of an authenticated route (contract, Errors). */
export const ErrorBody = component('Error', v.strictObject({ error: v.string() }))
export type ErrorBody = v.InferOutput<typeof ErrorBody>

/** A failure of an authenticated route: `{ error }`. */
export function errorReply<Status extends number>(
  status: Status,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): JsonReply<Status, ErrorBody> {
  return jsonReply(status, { error }, { ...PRIVATE, ...headers })
}

/** The one answer to a missing, malformed, unknown, revoked or expired key. */
export function unauthorized(): Reply {
  return keyRefused('Unauthorized')
}

/** The answer to a key that may not make the call. */
export function keyRefused(error: string): Reply {
  return errorReply(401, error, { 'www-authenticate': 'Bearer' })
}

/** The one answer to an id that is missing and to one that belongs to another organization. */
export function notFound(): Reply {
  return errorReply(404, 'Not found')
}

/** The organization's provider does not report the data from which the resource is made. */
export function unavailable(): Reply {
  return errorReply(400, "This resource is unavailable for the organization's provider.")
}

/** The source of the rows did not answer, or sent a malformed answer. */
export function sourceUnavailable(): Reply {
  return errorReply(502, 'A service that this resource comes from is unavailable. Try again later.')
}

/** The path does not have the method. `allow` lists those that it has. */
export function methodNotAllowed(allow: readonly string[]): Reply {
  return errorReply(405, 'Method not allowed', { allow: allow.join(', ') })
}

/** An internal failure: one fixed sentence and the request id to find the log line by. */
export function internalError(requestId: string): Reply {
  return errorReply(500, `The request could not be processed. Request id: ${requestId}`)
}
