import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import type { CollectionEndpoint } from '../../../domain/record/endpoint.ts'
import type { Filter } from '../../../domain/record/filter.ts'
import { fieldTypeOf } from '../../../domain/record/resource.ts'
import { isStorableText } from '../../../domain/text/typed-text.ts'
import { parseInstant } from '../../../domain/text/instant.ts'
import { isJsonObject, parsedOr } from '../../../domain/text/encoding.ts'
import {
  TIMESTAMP_WINDOW_MS,
  signedText,
  SOURCE_KINDS,
  COLLECTIONS,
  isCollection,
  orderMayBeNull,
  type OneParameters,
  type PageParameters,
  type GatewayRequest,
  type SourcePosition,
  type CollectionName,
} from '../protocol.ts'
import { GatewayError } from './errors.ts'

/** What a request carries to prove itself; null: the header is missing or repeated. */
export interface SignedRequest {
  readonly method: string
  readonly path: string
  readonly timestamp: string | null
  readonly nonce: string | null
  readonly signature: string | null
  readonly body: Uint8Array
}

/** Throws a `GatewayError` for a request that is not proven, or has been seen before. */
export type Authenticate = (request: SignedRequest) => void

interface AuthenticatorOptions {
  /** Accepted secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly nowMs: () => number
  /**
   * The maximum number of nonces that are kept. When that many are still within their window, new requests are refused,
   * because forgetting a nonce would allow a replay.
   */
  readonly noncesMax: number
}

/** Checks requests: a signature by a shared secret, of the body and of this minute, never seen before. */
export function createAuthenticator({ secrets, nowMs, noncesMax }: AuthenticatorOptions): Authenticate {
  const startedMs = nowMs()
  const nonces = new Map<string, number>()

  /** Nonces are kept in the order of arrival, so the first ones run out first, up to a difference of clocks. */
  const forgetOld = (now: number): void => {
    for (const [nonce, expiresMs] of nonces) {
      if (expiresMs >= now) break
      nonces.delete(nonce)
    }
  }

  return ({ method, path, body, ...headers }) => {
    if (Object.values(headers).includes(null)) {
      throw new GatewayError('signature_missing', 'The request is not signed')
    }
    const now = nowMs()
    const signed = v.safeParse(Signed, headers)
    if (!signed.success || !isSigned(secrets, { method, path, ...signed.output }, body)) {
      throw new GatewayError('signature_wrong', 'The signature does not fit the request')
    }
    const { timestamp: timestampMs, nonce } = signed.output
    if (Math.abs(now - timestampMs) > TIMESTAMP_WINDOW_MS) {
      throw new GatewayError(
        'timestamp_outside_window',
        'The request was signed too long ago, or in the future',
      )
    }
    // Nonces from before the start are forgotten, so nothing from before the start is accepted.
    if (timestampMs < startedMs) {
      throw new GatewayError('timestamp_outside_window', 'The request was signed before the gateway started')
    }
    forgetOld(now)
    if (nonces.has(nonce)) throw new GatewayError('nonce_used', 'The request has been seen before')
    if (nonces.size >= noncesMax) throw new GatewayError('busy', 'Too many requests in a minute')
    // A timestamp from the near future stays within the window for up to two of its lengths.
    nonces.set(nonce, now + 2 * TIMESTAMP_WINDOW_MS)
  }
}

/** The headers of a request that may have been signed by the Worker. */
const Signed = v.object({
  timestamp: v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number)),
  nonce: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  signature: v.pipe(v.string(), v.regex(/^v1=[0-9a-f]{64}$/)),
})

function isSigned(
  secrets: readonly string[],
  {
    timestamp: timestampMs,
    signature,
    ...parts
  }: Pick<SignedRequest, 'method' | 'path'> & v.InferOutput<typeof Signed>,
  body: Uint8Array,
): boolean {
  const given = Buffer.from(signature.slice('v1='.length), 'hex')
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const text = signedText({ ...parts, timestampMs, bodyHash })
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(text).digest(), given))
    .includes(true)
}

/** A request to read with a known statement and parameters of the right types. */
export type CheckedRequest = { readonly source: GatewayRequest['source'] } & (
  | { readonly kind: 'page'; readonly collection: CollectionName; readonly parameters: PageParameters }
  | { readonly kind: 'one'; readonly collection: CollectionName; readonly parameters: OneParameters }
)

/** Reads the body of a request. Throws a `GatewayError` that names what is wrong, never a value. */
export function parseReadRequest(body: string): CheckedRequest {
  const given = parsedOr(body, undefined)
  if (given === undefined) throw new GatewayError('invalid_request', 'The body is no JSON')
  const { source, statement, parameters } = checked(Body, given, 'body')
  const [, collection = '', kind] = /^(.*)\.(page|one)$/.exec(statement) ?? []
  if (!isCollection(collection)) {
    throw new GatewayError('unknown_statement', 'The statement is not on the list')
  }
  if (kind === 'one') return { source, kind, collection, parameters: checked(One, parameters, 'parameters') }
  const page = pageOf(COLLECTIONS[collection])
  return { source, kind: 'page', collection, parameters: checked(page, parameters, 'parameters') }
}

/** Longest text of a parameter, in UTF-16 units. */
const TEXT_LENGTH_MAX = 1_000

const Text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX))

/**
 * An instant in the form in which instants are recorded. They are compared as text, so an instant in another form would
 * sort wrongly.
 */
const Instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) === text),
)

const Body = v.strictObject({
  source: v.strictObject({ kind: v.picklist(SOURCE_KINDS), tenant: Text }),
  statement: v.string(),
  parameters: v.unknown(),
})

const One: v.GenericSchema<unknown, OneParameters> = v.strictObject({ id: Text })

/** The parameters of a page, by what the collection declares. */
function pageOf(collection: CollectionEndpoint): v.GenericSchema<unknown, PageParameters> {
  const filters: Readonly<Record<string, v.GenericSchema<unknown, string | boolean>>> = Object.fromEntries(
    Object.entries(collection.filters).map(([name, filter]) => [
      name,
      v.exactOptional(filterValue(collection, filter)),
    ]),
  )
  return v.strictObject({
    // A list is an object too, to the library.
    filters: v.pipe(v.custom<object>(isJsonObject), v.strictObject(filters)),
    after: v.nullable(positionOf(collection)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1)),
  })
}

/** The schema of a filter's value. Any text can be compared; only values that the field's type excludes are refused. */
function filterValue(
  { resource }: CollectionEndpoint,
  { field, operator }: Filter,
): v.GenericSchema<unknown, string | boolean> {
  if (operator !== 'equals') return Instant
  return fieldTypeOf(resource, field).storage === 'boolean' ? v.boolean() : Text
}

function positionOf(collection: CollectionEndpoint): v.GenericSchema<unknown, SourcePosition> {
  return v.strictObject({
    value: orderMayBeNull(collection) ? v.nullable(Instant) : Instant,
    // A text that no database can store would be compared as another text.
    id: v.pipe(Text, v.check(isStorableText)),
  })
}

/** @param whole the name of the value in the error, where none of its keys is at fault */
function checked<Output>(schema: v.GenericSchema<unknown, Output>, value: unknown, whole: string): Output {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) return parsed.output
  const [{ path = [], expected }] = parsed.issues
  // An unexpected key is text from the caller and must not be quoted, so the object that contains it is named instead.
  const named = expected === 'never' ? path.slice(0, -1) : path
  const name = named.length === 0 ? whole : named.map(({ key }) => String(key)).join('.')
  throw new GatewayError('invalid_parameter', `${name} is not of the right type`)
}
