import type { Predicate, Scalar, Order, PageQuery, Position } from '../../ports/records.ts'
import { ECHO_MAX_LENGTH } from '../limits/limits.ts'
import type { Filters } from '../record/filter.ts'
import { cutText } from '../text/typed-text.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../record/endpoint.ts'
import type { Secrets, SecretVersion } from '../access/secrets.ts'
import { concatenated, equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'

/** A problem of a query string, as a sentence for the caller. */
export interface QueryProblem {
  readonly kind: 'problem'
  readonly error: string
}

/** The parameters of a request: each at most once, all of them known. Empty values are left out. */
interface GivenParameters {
  readonly kind: 'parameters'
  readonly given: ReadonlyMap<string, string>
  /**
   * Every `limit` that was given, empty ones included. An invalid one is replaced by the default and is never an error.
   */
  readonly limits: readonly string[]
}

/** The filter values that apply, and the predicates for them. */
interface FilterValues {
  readonly kind: 'filters'
  /** Every filter of the collection by parameter name; null when it was not given. */
  readonly echo: Readonly<Record<string, Scalar | null>>
  readonly where: readonly Predicate[]
}

/** Returned when a filter cannot be read before the organization's phone country is known. */
interface NeedsCountry {
  readonly kind: 'needs_country'
}

export function problem(error: string): QueryProblem {
  return { kind: 'problem', error }
}

/** Splits a query string into known parameters. Unknown and repeated ones are a problem. */
export function readParameters(
  query: URLSearchParams,
  allowed: readonly string[],
): GivenParameters | QueryProblem {
  const given = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, text] of query) {
    if (!allowed.includes(name)) return problem(unknownParameter(name, allowed))
    if (name === 'limit') continue
    if (seen.has(name)) return problem(`Parameter ${name} must be given at most once.`)
    seen.add(name)
    if (text !== '') given.set(name, text)
  }
  return { kind: 'parameters', given, limits: query.getAll('limit') }
}

/** Reads the filters of a collection from its parameters. */
export async function readFilters(
  filters: Filters,
  given: ReadonlyMap<string, string>,
  phoneCountry: string | null,
): Promise<FilterValues | NeedsCountry | QueryProblem> {
  const echo: Record<string, Scalar | null> = {}
  const where: Predicate[] = []
  let needsCountry = false
  for (const [name, filter] of Object.entries(filters)) {
    const text = given.get(name)
    echo[name] = null
    if (text === undefined) continue
    const said = filter.read(text)
    const reading = said.kind === 'phone' ? await readPhone(said.texts, phoneCountry) : said
    if (reading.kind === 'invalid') return problem(`Parameter ${name} ${filter.allowed}.`)
    if (reading.kind === 'needs_country') needsCountry = true
    else {
      echo[name] = reading.value
      where.push({ field: filter.field, operator: filter.operator, value: reading.value })
    }
  }
  return needsCountry ? { kind: 'needs_country' } : { kind: 'filters', echo, where }
}

/** The parameter that requests codes, for resources that have them. */
export const CODES_PARAMETER = 'includeCodes'

/** Whether codes are requested: only by `true`. An absent or empty parameter means no. */
export function readCodes(given: ReadonlyMap<string, string>): boolean | QueryProblem {
  const text = given.get(CODES_PARAMETER) ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  return problem(`Parameter ${CODES_PARAMETER} must be true or false.`)
}

/** The sentence about a parameter that a route does not have, with those that it has. */
export function unknownParameter(name: string, allowed: readonly string[]): string {
  const shown = JSON.stringify(cutText(name, ECHO_MAX_LENGTH))
  return allowed.length === 0
    ? `Unknown parameter ${shown}: this route takes none.`
    : `Unknown parameter ${shown}. Allowed: ${allowed.join(', ')}.`
}

/** The result of reading a filter's phone number. `needs_country`: call again with the organization's phone country. */
type PhoneReading =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'needs_country' }

/** Matches a number in international form, which needs no country. */
const INTERNATIONAL = /^\s*[+＋]/

/**
 * Reads the phone number of a filter: the first of the texts that is one. The metadata of all countries' numbers is large,
 * so the first request with a number loads it.
 * @param country the country of national numbers (ISO 3166-1 alpha-2); null: not known yet
 */
export async function readPhone(texts: readonly string[], country: string | null): Promise<PhoneReading> {
  for (const text of texts) {
    if (country === null && !INTERNATIONAL.test(text)) return { kind: 'needs_country' }
    const { phoneToE164 } = await import('../text/phone-number.ts')
    const value = phoneToE164(text, country ?? 'US')
    if (value !== null) return { kind: 'value', value }
  }
  return { kind: 'invalid' }
}

/** The page size of a request without `limit`. */
export const DEFAULT_LIMIT = 100

/**
 * How many rows are looked at for a page whose filters select few of many, before it ends early. Storage reads each of
 * them at most twice, so that such a page costs fewer than 20,000 rows read, found ones included.
 */
export const LOOKED_AT_MAX = 9_000

/**
 * The page size for the `limit` parameters of a request (none, one or several). An invalid or repeated one is replaced
 * by the default, and one larger than `maximum` is capped. None is an error.
 */
export function readLimit(given: readonly string[], maximum: number, fallback = DEFAULT_LIMIT): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(fallback, maximum)
  return Math.min(Number(text), maximum)
}

/** What the contract documents say of the parameter `limit`. */
export function limitMeaning(maximum: number): string {
  return `Rows per page. An invalid value counts as ${DEFAULT_LIMIT} and a value above ${maximum} as ${maximum}; \`pagination.limit\` shows what was used.`
}

export const SORT_ORDERS = ['asc', 'desc'] as const

type Orders = Pick<CollectionEndpoint, 'order' | 'syncOrder' | 'sorts'>

/** The parameters by which a caller chooses the order; none when the order is fixed. */
export function sortParameters({ sorts }: Pick<Orders, 'sorts'>): readonly string[] {
  return sorts.length === 0 ? [] : ['sortBy', 'sortOrder']
}

/**
 * The order of a page: the sync order for a sync, else the requested order; a part that the request leaves out is taken
 * from the natural order. The order of a sync is fixed, so a request cannot combine a sync with an order.
 */
export function readOrder(
  { order, syncOrder, sorts }: Orders,
  given: ReadonlyMap<string, string>,
  syncs: boolean,
): Order | QueryProblem {
  const field = given.get('sortBy') ?? order.field
  const word = given.get('sortOrder') ?? wordOf(order)
  if (given.has('sortBy') && !sorts.includes(field))
    return problem(`Parameter sortBy must be one of ${sorts.join(', ')}.`)
  if (word !== 'asc' && word !== 'desc')
    return problem(`Parameter sortOrder must be one of ${SORT_ORDERS.join(', ')}.`)
  if (syncs && syncOrder !== null) {
    const also = ['sortBy', 'sortOrder'].find((name) => given.has(name))
    return also === undefined
      ? syncOrder
      : problem(
          `Parameter ${also} cannot be combined with updatedAfter and updatedBefore: they order by updatedAt.`,
        )
  }
  if (field === order.field && word === wordOf(order)) return order
  return { field, idField: order.idField, direction: word === 'asc' ? 'ascending' : 'descending' }
}

/** The name by which a cursor identifies the order that it continues. */
export function orderName({ order, syncOrder }: Orders, asked: Order): string {
  const isNatural = asked === order && asked.field !== SYNC_FIELD
  return isNatural || asked === syncOrder ? asked.field : `${asked.field} ${wordOf(asked)}`
}

/** The problem of a request with a cursor for the order of this name, when the request asks for another order. */
export function otherOrder(name: string): string {
  const [field = '', word] = name.split(' ')
  if (field === SYNC_FIELD)
    return word === undefined
      ? 'This cursor continues a read in order of updatedAt: pass updatedAfter or updatedBefore with it.'
      : 'This cursor continues a read of the newest first: pass it without updatedAfter and updatedBefore.'
  return word === undefined
    ? `This cursor continues a read in order of ${field}: pass it without another sort, updatedAfter and updatedBefore.`
    : `This cursor continues a read sorted by ${field} ${word}: pass the same sortBy and sortOrder with it.`
}

function wordOf({ direction }: Order): (typeof SORT_ORDERS)[number] {
  return direction === 'ascending' ? 'asc' : 'desc'
}

/** The predicates of a page, reduced so that at most one bound remains on the side where the page begins. */
export interface PageBounds<Bound extends Predicate = Predicate> {
  readonly where: readonly Bound[]
  /** The page starts right after this position; null: it starts at the bound, or at the beginning. */
  readonly seek: Position | null
}

/** The operators that bound an order's field on the side where a page in this direction begins. */
const NEAR_SIDE = {
  ascending: ['atLeast', 'above'],
  descending: ['atMost', 'below'],
} as const

/**
 * Combines the bounds of the order's field on the side where the page begins into the strictest one: databases seek by
 * one bound per side, and would scan for a second (measured on SQLite: 50,000 rows read instead of 102).
 */
export function foldBounds<Bound extends Predicate>({
  where,
  order,
  after,
}: Pick<PageQuery, 'order' | 'after'> & { readonly where: readonly Bound[] }): PageBounds<Bound> {
  const nearSide: readonly string[] = NEAR_SIDE[order.direction]
  const isNear = ({ field, operator }: Predicate) => field === order.field && nearSide.includes(operator)
  const bounds = where.filter(isNear)
  const rest = where.filter((predicate) => !isNear(predicate))
  const bound = bounds.reduce<Bound | null>(
    (tightest, next) => (tightest === null || isTighter(next, tightest, order.direction) ? next : tightest),
    null,
  )
  if (bound === null || after?.value === null) return { where, seek: after }
  if (after === null || startsBehind(bound, after, order.direction)) {
    return { where: [...rest, bound], seek: null }
  }
  return { where: rest, seek: after }
}

function isTighter(left: Predicate, right: Predicate, direction: PageQuery['order']['direction']): boolean {
  if (left.value === right.value) return isExclusive(left) && !isExclusive(right)
  return isFurther(left.value, right.value, direction)
}

/** Whether the bound alone excludes everything up to the position, so that the position adds nothing. */
function startsBehind(
  bound: Predicate,
  after: Position,
  direction: PageQuery['order']['direction'],
): boolean {
  if (bound.value === after.value) return isExclusive(bound)
  return after.value !== null && isFurther(bound.value, after.value, direction)
}

/**
 * Whether `left` comes later in the order than `right`. Instants are ASCII, so comparing code units orders them by
 * time.
 */
function isFurther(left: Scalar, right: Scalar, direction: PageQuery['order']['direction']): boolean {
  return direction === 'ascending' ? left > right : left < right
}

function isExclusive({ operator }: Predicate): boolean {
  return operator === 'above' || operator === 'below'
}

/** The request to which a cursor belongs. In any other request the cursor is refused. */
export interface CursorScope {
  readonly organizationId: string
  readonly endpointId: string
  /** Id of the parent resource of a nested collection. */
  readonly parentId: string | null
}

export interface Cursor {
  /** The name of the order in which the page was read. */
  readonly order: string
  /** The position of the last row of the previous page. */
  readonly position: Position
}

/** Why a request with a cursor of another collection, or none that was given out, is refused. */
export const FOREIGN_CURSOR = 'Parameter cursor must be a nextCursor that this collection gave.'

const MAC_BYTES = 16
const MAX_CURSOR_LENGTH = 4_000

/**
 * Makes the opaque token of a page: the position in clear text, and a MAC over position and scope. So a client can
 * neither forge nor alter it, and the service need not store it.
 */
export async function encodeCursor(cursor: Cursor, scope: CursorScope, secrets: Secrets): Promise<string> {
  const payload = utf8(JSON.stringify([cursor.order, cursor.position.value, cursor.position.id]))
  return toBase64Url(concatenated([await macOf(payload, scope, secrets.current), payload]))
}

/** The token of the page after a position; null after the last page. */
export async function nextCursorOf(
  { order, position }: { readonly order: string; readonly position: Position | null },
  scope: CursorScope,
  secrets: Secrets,
): Promise<string | null> {
  return position === null ? null : encodeCursor({ order, position }, scope, secrets)
}

/** Reads a token back; null when it was not issued for exactly this scope, or was altered. */
export async function decodeCursor(
  token: string,
  scope: CursorScope,
  secrets: Secrets,
): Promise<Cursor | null> {
  const bytes = token.length > MAX_CURSOR_LENGTH ? null : fromBase64Url(token)
  if (bytes === null || bytes.length <= MAC_BYTES) return null
  const mac = bytes.subarray(0, MAC_BYTES)
  const payload = bytes.slice(MAC_BYTES)
  for (const secret of [secrets.current, secrets.previous]) {
    if (secret !== null && equalInConstantTime(mac, await macOf(payload, scope, secret)))
      return parse(payload)
  }
  return null
}

async function macOf(
  payload: Uint8Array<ArrayBuffer>,
  scope: CursorScope,
  secret: SecretVersion,
): Promise<Uint8Array<ArrayBuffer>> {
  const context = utf8(JSON.stringify([scope.organizationId, scope.endpointId, scope.parentId]))
  // JSON text contains no NUL, so a NUL between context and payload separates them unambiguously.
  const mac = await secret.mac('cursor', concatenated([context, Uint8Array.of(0), payload]))
  return mac.slice(0, MAC_BYTES)
}

function parse(payload: Uint8Array): Cursor {
  const [order, value, id] = JSON.parse(new TextDecoder().decode(payload)) as [
    string,
    Position['value'],
    string,
  ]
  return { order, position: { value, id } }
}
