import * as v from 'valibot'
import { repeatWhileRejected, type Backoff } from '../../domain/limits/waiting.ts'
import { posSourceKinds } from '../../domain/pos/index.ts'
import { Instant } from '../../domain/record/field.ts'
import { utf8, parsedOr } from '../../domain/text/encoding.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import type { Clock, Deadline, RandomSource } from '../../ports/platform.ts'
import type { PageQuery, SourceFailure, StoredRow } from '../../ports/records.ts'
import type { PosSource } from '../../ports/sources.ts'
import {
  COLLECTIONS,
  isCollection,
  READ_PATH,
  SIGNATURE_HEADERS,
  signedText,
  type CollectionName,
  type GatewayRequest,
  type PageParameters,
  type SourceKind,
  type SourcePosition,
} from './protocol.ts'

export { isSourceKind, SOURCE_KINDS, type SourceKind } from './protocol.ts'
export { SECRET_LENGTH_MIN } from './secret-length.ts'

/** The assignment of an organization to a source behind the gateway. */
export type OdbcTie = PosSourceTie & { readonly kind: SourceKind }

/** The point-of-sale sources that are reached over the ODBC gateway. */
export interface OdbcPosSources {
  /** Opens an organization's source. No I/O: one that is not configured or does not answer says so when it is read. */
  open(tie: OdbcTie): PosSource
}

/** How to reach the gateway. */
export interface GatewayOptions {
  /** The gateway's address, without a path. */
  readonly url: string
  /** The shared secret. */
  readonly secret: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly clock: Clock
  readonly random: RandomSource
  readonly deadline: Deadline
}

/**
 * The sources behind an ODBC gateway. Each read is one signed request. Pages come in the order and by the filters that
 * the collections of `domain/pos` declare; any other query is `unavailable`. Rows have the selected fields of their
 * collection; their values are checked where they are published.
 */
export function createOdbcPosSources(options: GatewayOptions): OdbcPosSources {
  return { open: (tie) => openSource(options, tie) }
}

function openSource(options: GatewayOptions, { kind, tenant }: OdbcTie): PosSource {
  const source = { kind, tenant }
  return {
    capabilities: posSourceKinds[kind].capabilities,
    async page(query) {
      const { collection, select, limit } = query
      if (!isCollection(collection)) return unserved(collection)
      const parameters = pageParameters(collection, query)
      if (typeof parameters === 'string') return unserved(parameters)
      const answer = await askGateway(options, { source, statement: `${collection}.page`, parameters })
      if (answer.kind === 'unavailable') return answer
      const page = readPage(collection, answer.body, limit)
      if (page === null) return nonsense()
      return { kind: 'page', rows: page.rows.map((row) => selected(row, select)), next: page.next }
    },
    async one({ collection, id, select }) {
      if (!isCollection(collection)) return unserved(collection)
      const request = { source, statement: `${collection}.one`, parameters: { id } }
      const answer = await askGateway(options, request)
      if (answer.kind === 'unavailable') return answer
      const found = outputOf(v.strictObject({ row: v.nullable(rowOf(collection)) }), answer.body)
      if (found === null) return nonsense()
      return { kind: 'row', row: found.row === null ? null : selected(found.row, select) }
    },
  }
}

/**
 * The parameters of a page, in the order and by the filters that the collection declares, because the gateway has no
 * others. A text: it has none for this query, and why.
 */
function pageParameters(
  collection: CollectionName,
  { where, order, after, limit }: PageQuery,
): PageParameters | string {
  const declared = COLLECTIONS[collection]
  const isNatural =
    order.field === declared.order.field &&
    order.idField === declared.order.idField &&
    order.direction === declared.order.direction
  if (!isNatural) return `${collection} in another order than newest first`
  const filters: Record<string, string | boolean> = {}
  for (const { field, operator, value } of where) {
    const [name] =
      Object.entries(declared.filters).find(
        ([, filter]) => filter.field === field && filter.operator === operator,
      ) ?? []
    if (name === undefined || name in filters || typeof value === 'number')
      return `${collection} by ${field} ${operator}`
    filters[name] = value
  }
  if (after === null) return { filters, after, limit }
  const { value, id } = after
  return typeof value === 'number' ? `${collection} after a number` : { filters, after: { value, id }, limit }
}

function selected(row: StoredRow, select: readonly string[]): StoredRow {
  return Object.fromEntries(select.map((field) => [field, row[field] ?? null]))
}

function unserved(what: string): SourceFailure {
  return unavailable(`The POS gateway serves no ${what}.`)
}

function nonsense(): SourceFailure {
  return unavailable('The POS gateway answered something that is no row of this collection.')
}

function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

/** The longest time for a read, the second attempt included. It exceeds the gateway's own usual deadline of 5 s. */
const DEADLINE_MS = 8_000
/** A broken connection is replaced by a new one at once. */
const BACKOFF: Backoff = { pausesMs: [0] }

/** The body of an answer, or why there is none. */
type GatewayAnswer = { readonly kind: 'answer'; readonly body: unknown } | SourceFailure

/**
 * Asks the gateway. Never rejects. A request whose connection breaks is sent once more, which is safe because requests
 * only read.
 */
async function askGateway(options: GatewayOptions, request: GatewayRequest): Promise<GatewayAnswer> {
  const signal = options.deadline.after(DEADLINE_MS)
  const body = JSON.stringify(request)
  const isPassing = () => !signal.aborted
  const wait = () => Promise.resolve()
  try {
    // Each attempt carries a nonce of its own: the gateway may have seen the one whose answer was lost.
    return await repeatWhileRejected(BACKOFF, { isPassing, wait }, async () =>
      answerOf(await send(options, body, signal)),
    )
  } catch (cause) {
    const reason = signal.aborted
      ? 'The POS gateway did not answer in time.'
      : 'The POS gateway cannot be reached.'
    return { kind: 'unavailable', reason, cause }
  }
}

async function send(options: GatewayOptions, body: string, signal: AbortSignal): Promise<Response> {
  const timestampMs = options.clock.nowMs()
  const nonce = hex(options.random.bytes(16))
  const bodyHash = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(body))))
  const text = signedText({ method: 'POST', path: READ_PATH, timestampMs, nonce, bodyHash })
  return options.fetch(`${options.url.replace(/\/+$/, '')}${READ_PATH}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.timestamp]: String(timestampMs),
      [SIGNATURE_HEADERS.nonce]: nonce,
      [SIGNATURE_HEADERS.signature]: `v1=${await hmac(options.secret, text)}`,
    },
    body,
    // The request contains personal data, so a redirect to another host is not followed.
    redirect: 'manual',
    signal,
  })
}

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign'])
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text))))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Rejects when the connection breaks while the answer is being received. */
async function answerOf(response: Response): Promise<GatewayAnswer> {
  const body = parsedOr(await response.text(), undefined)
  if (response.status === 200 && body !== undefined) return { kind: 'answer', body }
  const code = outputOf(Failure, body)?.error.code
  if (code !== undefined) return unavailable(REASONS[code] ?? `The POS gateway refused the request: ${code}.`)
  return unavailable(
    `The POS gateway answered with status ${response.status} and nothing that it could mean.`,
  )
}

const Failure = v.object({ error: v.object({ code: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/)) }) })

/** The failures on which an operator can act. */
const REASONS: Readonly<Record<string, string>> = {
  unknown_source: 'The POS gateway has no source of this kind and name; see its configuration.',
  signature_missing: 'The POS gateway refused the signature: the two secrets differ.',
  signature_wrong: 'The POS gateway refused the signature: the two secrets differ.',
  timestamp_outside_window:
    'The POS gateway refused the time: a clock is wrong, or the gateway has just started.',
  source_unavailable: 'The POS gateway cannot read the source now; its log says more.',
  internal_error: 'The POS gateway failed; its log says more.',
  deadline_exceeded: 'The POS source did not answer the gateway in time.',
  unreadable_row: 'A row of the POS source cannot be read; the log of the gateway names it.',
  too_many_rows: 'A page of the POS source has more lines than the gateway allows.',
  busy: 'The POS gateway is busy.',
}

const Position: v.GenericSchema<SourcePosition> = v.strictObject({
  value: v.nullable(Instant),
  id: v.string(),
})

/** A page as the gateway answered it; null when it is anything else. `limit` is the most rows that were asked for. */
function readPage(collection: CollectionName, body: unknown, limit: number) {
  const rows = v.pipe(v.array(rowOf(collection)), v.maxLength(limit))
  return outputOf(v.strictObject({ rows, next: v.nullable(Position) }), body)
}

/**
 * The row of a collection as the gateway sends it. Other fields mean that the Worker and the gateway have different
 * versions. The values are checked where the row is published, as those of every source are.
 */
function rowOf(collection: CollectionName): v.GenericSchema<StoredRow> {
  const names = Object.keys(COLLECTIONS[collection].resource.fields)
  return v.custom<StoredRow>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      Object.keys(given).length === names.length &&
      names.every((name) => Object.hasOwn(given, name)),
  )
}

function outputOf<Output>(schema: v.GenericSchema<unknown, Output>, body: unknown): Output | null {
  const parsed = v.safeParse(schema, body)
  return parsed.success ? parsed.output : null
}
