/**
 * What the Worker and the gateway agree on. Both sides import this file, so it uses nothing but the language.
 */

/** The point-of-sale sources that are reached through the gateway. */
export const SOURCE_KINDS = ['odbc_shared', 'odbc_second'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

/** What a filter's value must be. */
export type FilterType = 'text' | 'boolean' | 'instant'

/** A filter of a collection: which field it compares, and how. */
export interface Filter {
  readonly field: string
  readonly operator: 'equals' | 'atLeast' | 'below'
  readonly type: FilterType
}

/** A collection that the gateway serves, newest first: its statements are `NAME.page` and `NAME.one`. */
export interface Collection {
  readonly idField: string
  readonly orderField: string
  /** Whether rows may have no value in the order field; they come last. */
  readonly orderMayBeNull: boolean
  readonly filters: Readonly<Record<string, Filter>>
}

function equals(field: string, type: FilterType = 'text'): Filter {
  return { field, operator: 'equals', type }
}

const ACCOUNTS: Collection = {
  idField: 'accountId',
  orderField: 'startedAt',
  orderMayBeNull: true,
  filters: { customerId: equals('customerId'), status: equals('status'), siteCode: equals('siteCode') },
}

/** Every collection that the gateway serves. */
export const COLLECTIONS = {
  'pos-transactions': {
    idField: 'transactionId',
    orderField: 'completedAt',
    orderMayBeNull: false,
    filters: {
      customerId: equals('customerId'),
      siteCode: equals('siteCode'),
      completedAfter: { field: 'completedAt', operator: 'atLeast', type: 'instant' },
      completedBefore: { field: 'completedAt', operator: 'below', type: 'instant' },
    },
  },
  'pos-customers': {
    idField: 'customerId',
    orderField: 'createdAt',
    orderMayBeNull: true,
    filters: {
      phone: equals('phone'),
      email: equals('email'),
      active: equals('active', 'boolean'),
      siteCode: equals('homeSiteCode'),
    },
  },
  'pos-recurring-accounts': ACCOUNTS,
  'pos-recurring-account-details': ACCOUNTS,
} as const satisfies Readonly<Record<string, Collection>>

export type CollectionName = keyof typeof COLLECTIONS

/** Whether the gateway serves a collection of this name. */
export function isCollection(name: string): name is CollectionName {
  return Object.hasOwn(COLLECTIONS, name)
}

/** The order's values of the last row of the page before. */
export interface SourcePosition {
  readonly value: string | null
  readonly id: string
}

/** The parameters of a `.page` statement. */
export interface PageParameters {
  readonly filters: Readonly<Record<string, string | boolean>>
  readonly after: SourcePosition | null
  /** Most rows to answer with, 1 to the gateway's row limit. */
  readonly limit: number
}

/** The parameters of a `.one` statement. */
export interface OneParameters {
  readonly id: string
}

/** The body of a request to read, as JSON. */
export interface ReadRequest {
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

/** Everything that the gateway refuses or fails with, and the status that goes with it. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_parameter: 400,
  unknown_statement: 400,
  signature_missing: 401,
  signature_wrong: 401,
  timestamp_outside_window: 401,
  nonce_used: 401,
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

/** How far a request's timestamp may lie from the gateway's clock. */
export const TIMESTAMP_WINDOW_MS = 60_000

/** Shortest secret that either side accepts, in characters. */
export const SECRET_LENGTH_MIN = 32

/** What is signed of a request. Every part is free of line breaks, so no two requests share a text. */
export interface SignedParts {
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
