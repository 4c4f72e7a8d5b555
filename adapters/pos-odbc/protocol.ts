import { posCollections } from '../../domain/pos/index.ts'
import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import { fieldTypeOf } from '../../domain/record/resource.ts'
import type { PosKind } from '../../ports/organizations.ts'

/** The protocol between the Worker and the gateway: collections, requests, answers, errors and signatures. */

/** The kinds of point-of-sale sources that are reached through the gateway. */
export const SOURCE_KINDS = ['odbc_shared', 'odbc_second'] as const satisfies readonly PosKind[]
export type SourceKind = (typeof SOURCE_KINDS)[number]

/** Whether sources of a kind are reached through the gateway. */
export function isSourceKind(kind: string): kind is SourceKind {
  return SOURCE_KINDS.some((known) => known === kind)
}

/** The name of a collection that the gateway serves, newest first: its statements are `NAME.page` and `NAME.one`. */
export type CollectionName = keyof typeof posCollections

/** Every collection that the gateway serves: the rows, filters and order that the routes of the API publish. */
export const COLLECTIONS: Readonly<Record<CollectionName, CollectionEndpoint>> = posCollections

/** Whether the gateway serves a collection of this name. */
export function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(COLLECTIONS, name)
}

/** Whether rows of a collection may have no value in the field that orders them; such rows come last. */
export function orderMayBeNull({ resource, order }: CollectionEndpoint): boolean {
  return fieldTypeOf(resource, order.field).nullable
}

/** The values by which the last row of the previous page was ordered; the next page starts after that row. */
export interface SourcePosition {
  readonly value: string | null
  readonly id: string
}

/** The parameters of a `.page` statement. */
export interface PageParameters {
  readonly filters: Readonly<Record<string, string | boolean>>
  readonly after: SourcePosition | null
  /** The maximum number of rows to answer with, from 1 to the gateway's row limit. */
  readonly limit: number
}

/** The parameters of a `.one` statement. */
export interface OneParameters {
  readonly id: string
}

/** The body of a request to read, as JSON. */
export interface GatewayRequest {
  readonly source: { readonly kind: SourceKind; readonly tenant: string }
  /** `COLLECTION.page` or `COLLECTION.one`. */
  readonly statement: string
  readonly parameters: PageParameters | OneParameters
}

/** A row in the neutral form. */
export type NeutralRow = Readonly<Record<string, unknown>>

/** The answer to a `.page` statement. */
export interface PageAnswer {
  readonly rows: readonly NeutralRow[]
  readonly next: SourcePosition | null
}

/** The answer to a `.one` statement. */
export interface OneAnswer {
  readonly row: NeutralRow | null
}

/** The codes of all refusals and failures of the gateway, with their HTTP statuses. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_parameter: 400,
  unknown_statement: 400,
  signature_missing: 401,
  signature_wrong: 401,
  timestamp_outside_window: 401,
  nonce_used: 401,
  wrong_host: 403,
  not_found: 404,
  unknown_source: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  internal_error: 500,
  source_unavailable: 502,
  unreadable_row: 502,
  too_many_rows: 502,
  busy: 503,
  deadline_exceeded: 504,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** The body of every answer that is not a success. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string }
}

export const READ_PATH = '/v1/read'
export const HEALTH_PATH = '/health'

/** The headers that sign a request. */
export const SIGNATURE_HEADERS = {
  /** When it was signed, in milliseconds since 1970. */
  timestamp: 'x-gateway-timestamp',
  /** 16 random bytes in hexadecimal, never used twice. */
  nonce: 'x-gateway-nonce',
  /** `v1=` and the HMAC-SHA-256 of `signedText` in hexadecimal. */
  signature: 'x-gateway-signature',
} as const

/** How far a request's timestamp may differ from the gateway's clock. */
export const TIMESTAMP_WINDOW_MS = 60_000

/**
 * The parts of a request that are signed. No part contains a line break, so two different requests never have the same
 * text.
 */
interface SignedParts {
  readonly method: string
  readonly path: string
  readonly timestampMs: number
  readonly nonce: string
  /** SHA-256 of the body's bytes, in hexadecimal. */
  readonly bodyHash: string
}

/** The text whose HMAC-SHA-256 under the shared secret is the signature of a request. */
export function signedText({ method, path, timestampMs, nonce, bodyHash }: SignedParts): string {
  return ['v1', method, path, timestampMs, nonce, bodyHash].join('\n')
}
