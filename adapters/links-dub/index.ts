import { pauseAfter, type Backoff, pause } from '../../domain/limits/waiting.ts'
import { readLimited } from '../../domain/limits/body.ts'
import { decodeUtf8, parsedOr } from '../../domain/text/encoding.ts'
import { retryAfterMs } from '../../domain/text/http.ts'
import type { Clock, Deadline } from '../../ports/platform.ts'
import type {
  SourceFailure,
  GroupsQuery,
  Predicate,
  Scalar,
  SourceRefusal,
  OneQuery,
  PageQuery,
  StoredRow,
  SourcePage,
  SourceRow,
  Position,
} from '../../ports/records.ts'
import { InstantInput } from '../../domain/record/field.ts'
import { pageOfGroups, positionOfGroup, type Group } from '../../domain/read/page.ts'
import type { SourceGroups, LinkSource } from '../../ports/sources.ts'

import * as v from 'valibot'

export { DUB_URL } from './api-url.ts'

export interface DubOptions {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
  readonly clock: Clock
}

const NO_LINKS = unavailable('The link service answered with something that is no list of links.')
const OTHER_TENANT = unavailable('The link service answered with links of another tenant.')

/**
 * The links of one organization at Dub: those whose `tenantId` is the organization's id. They come in Dub's order;
 * links with equal values have no fixed order. By `createdAt`, a page starts after the last link of the previous page.
 * In the other orders Dub numbers the pages, so a link that moves meanwhile may come twice or not at all.
 */
export function openDubLinks(options: DubOptions, tenantId: string): LinkSource {
  return {
    page: (query) => pageOf(options, tenantId, query),
    one: (query) => oneOf(options, tenantId, query),
    groups: (query) => groupsFrom(options, tenantId, query),
  }
}

async function pageOf(options: DubOptions, tenantId: string, query: PageQuery): Promise<SourcePage> {
  const request = listRequest(query, tenantId)
  if ('kind' in request) return request
  const read = await readDub(options, '/links', request.query)
  if (read.kind !== 'json') return read.kind === 'missing' ? NO_LINKS : read
  if (!Array.isArray(read.body) || read.body.length > request.pageSize) return NO_LINKS
  const links = read.body.map(readLink)
  const rows: StoredRow[] = []
  for (const link of links) {
    if (link === null) return NO_LINKS
    if (link.tenantId !== tenantId) return OTHER_TENANT
    rows.push(link.row)
  }
  const last = rows.at(-1)
  // Dub does not say whether another page follows. After a full page that is the last one, the next page is empty.
  const isFull = last !== undefined && rows.length === request.pageSize
  const next = isFull ? nextPosition(request, String(last.linkId)) : null
  // Dub compares tags without regard to case.
  return { kind: 'page', rows: rows.filter((row) => query.where.every((one) => satisfies(row, one))), next }
}

function satisfies(row: StoredRow, { field, operator, value }: Predicate): boolean {
  const held = row[field]
  return operator === 'contains' ? Array.isArray(held) && held.includes(value) : held === value
}

async function oneOf(options: DubOptions, tenantId: string, { id }: OneQuery): Promise<SourceRow> {
  const read = await readDub(options, '/links/info', new URLSearchParams({ linkId: id }))
  if (read.kind === 'missing') return { kind: 'row', row: null }
  if (read.kind !== 'json') return read
  const link = readLink(read.body)
  if (link === null) return unavailable('The link service answered with something that is no link.')
  // A link of another tenant, or one whose own id differs from the requested one, is answered as missing.
  const isAsked = link.tenantId === tenantId && link.row.linkId === id
  return { kind: 'row', row: isAsked ? link.row : null }
}

async function groupsFrom(options: DubOptions, tenantId: string, query: GroupsQuery): Promise<SourceGroups> {
  const asked = analyticsQuery(query, tenantId)
  if ('kind' in asked) return asked
  const read = await readDub(options, '/analytics', asked)
  if (read.kind === 'unavailable') return read
  return groupsInAnswer(read.kind === 'json' ? read.body : null, query)
}

/** The most links that Dub gives at a time. */
const PAGE_MAX = 100

/** Dub's names of the fields that it sorts by. */
const SORTS: Readonly<Record<string, string>> = {
  createdAt: 'createdAt',
  clicks: 'clicks',
  lastClickedAt: 'lastClicked',
}

/** One request for links: the query, and what is needed to ask for the next page. */
interface ListRequest {
  readonly query: URLSearchParams
  readonly pageSize: number
  /**
   * The number of rows before this page, when Dub numbers the pages; null: the next page starts after the last link of
   * this one.
   */
  readonly offset: number | null
}

/** The request for a page, or why Dub cannot serve it. */
function listRequest(page: PageQuery, tenantId: string): ListRequest | SourceRefusal {
  const { where, order, after } = page
  const query = new URLSearchParams({ tenantId })
  for (const [name, value] of filtersOf(where)) query.set(name, value)
  const refused = where.map(refusalOf).find((refusal) => refusal !== null)
  if (refused !== undefined) return refused
  const sortBy = SORTS[order.field]
  if (sortBy === undefined) {
    const allowed = `must be one of ${Object.keys(SORTS).join(', ')}`
    return { kind: 'unsupported', field: order.field, operator: null, allowed }
  }
  query.set('sortBy', sortBy)
  query.set('sortOrder', order.direction === 'ascending' ? 'asc' : 'desc')
  const limit = Math.min(page.limit, PAGE_MAX)
  if (order.field === 'createdAt') {
    if (after !== null) query.set('startingAfter', after.id)
    query.set('pageSize', String(limit))
    return { query, pageSize: limit, offset: null }
  }
  // In these orders a click moves a link, so the last link does not tell where the next page starts. Pages are numbered
  // instead.
  const offset = Number(after?.value ?? 0)
  const pageSize = pageSizeAt(offset, limit)
  query.set('pageSize', String(pageSize))
  query.set('page', String(offset / pageSize + 1))
  return { query, pageSize, offset }
}

/**
 * Dub's pages all have one size. Chooses the largest size up to the limit that divides the number of rows before this
 * page.
 */
function pageSizeAt(offset: number, limit: number): number {
  let size = limit
  while (offset % size !== 0) size -= 1
  return size
}

/** The position of the next page. */
function nextPosition({ offset, pageSize }: ListRequest, lastId: string): Position {
  return offset === null ? { value: null, id: lastId } : { value: offset + pageSize, id: lastId }
}

function filtersOf(where: readonly Predicate[]): readonly (readonly [string, string])[] {
  const equal = (field: string) => where.find((predicate) => predicate.field === field)?.value ?? null
  const [domain, tag, archived] = [equal('domain'), equal('tags'), equal('archived')]
  return [
    ['showArchived', String(archived !== false)] as const,
    ...(domain === null ? [] : [['domain', String(domain)] as const]),
    ...(tag === null ? [] : [['tagNames', String(tag)] as const]),
  ]
}

/** Why Dub cannot serve a predicate; null: it can. */
function refusalOf({ field, operator, value }: Predicate): SourceRefusal | null {
  const allowed = allowedOf(field, value)
  return allowed === null ? null : { kind: 'unsupported', field, operator, allowed }
}

function allowedOf(field: string, value: Scalar): string | null {
  switch (field) {
    case 'domain':
      return null
    case 'tags':
      return String(value).includes(',')
        ? 'must be without a comma: the link service reads it as several tags'
        : null
    case 'archived':
      return value === false
        ? null
        : 'must be false, or left out: the link service has no list of archived links alone'
    default:
      return 'must be left out: the link service cannot be asked for it'
  }
}

const count = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0)
const sums = {
  clicks: count,
  leads: count,
  sales: count,
  saleAmount: v.optional(v.pipe(v.number(), v.safeInteger()), 0),
}

/** A link as Dub's API gives it (its documentation, "Link object"), as far as this service reads it. */
const DubLink = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  tenantId: v.nullish(v.string(), null),
  domain: v.string(),
  key: v.string(),
  shortLink: v.string(),
  url: v.string(),
  title: v.nullish(v.string(), null),
  tags: v.nullish(v.array(v.object({ name: v.string() })), null),
  archived: v.optional(v.boolean(), false),
  ...sums,
  expiresAt: v.nullish(InstantInput, null),
  lastClicked: v.nullish(InstantInput, null),
  createdAt: InstantInput,
  updatedAt: InstantInput,
})

/** A link at Dub with the organization that owns it. */
interface OwnedLink {
  readonly tenantId: string | null
  /** The link as a row of the resource `links`. */
  readonly row: StoredRow
}

/** Reads a link; null when the value is not a link. */
function readLink(body: unknown): OwnedLink | null {
  const reading = v.safeParse(DubLink, body)
  if (!reading.success) return null
  const link = reading.output
  const row = {
    linkId: link.id,
    domain: link.domain,
    key: link.key,
    shortUrl: link.shortLink,
    url: link.url,
    title: link.title,
    tags: (link.tags ?? []).map(({ name }) => name),
    archived: link.archived,
    clicks: link.clicks,
    leads: link.leads,
    sales: link.sales,
    saleAmountCents: link.saleAmount,
    expiresAt: link.expiresAt,
    lastClickedAt: link.lastClicked,
    createdAt: link.createdAt,
    updatedAt: link.updatedAt,
  }
  return { tenantId: link.tenantId, row }
}

const DAY_MS = 86_400_000

/** For longer windows Dub returns months, not days. */
const DAYS_MAX = 180

const VALUE_MAX_LENGTH = 500
const value = v.pipe(v.string(), v.maxLength(VALUE_MAX_LENGTH))

/**
 * Dub's name for a grouping, the key under which its values come, and how they are read (Dub's documentation, "Retrieve
 * analytics").
 */
interface Grouping {
  readonly groupBy: string
  readonly key: string
  readonly schema: v.GenericSchema<unknown, string>
}

const named = (groupBy: string, key: string): Grouping => ({ groupBy, key, schema: value })

/** The grouping at Dub for each field of link events by which rows can be grouped. */
const groupings: Readonly<Record<string, Grouping>> = {
  // For short windows Dub returns hours; they are grouped by the day of their instant.
  day: {
    groupBy: 'timeseries',
    key: 'start',
    schema: v.pipe(
      InstantInput,
      v.transform((instant) => instant.slice(0, 10)),
    ),
  },
  linkId: named('top_links', 'id'),
  country: named('countries', 'country'),
  city: named('cities', 'city'),
  device: named('devices', 'device'),
  browser: named('browsers', 'browser'),
  os: named('os', 'os'),
  referrer: named('referers', 'referer'),
}

/** The values that Dub uses for "unknown". */
const UNKNOWN: ReadonlySet<string> = new Set(['', 'Unknown', '(direct)'])

const boundOf = ({ where }: GroupsQuery, field: string, operator: Predicate['operator']): Scalar | null =>
  where.find((predicate) => predicate.field === field && predicate.operator === operator)?.value ?? null

/** The parameters of Dub's analytics endpoint for a query for groups, or why Dub cannot serve it. */
function analyticsQuery(query: GroupsQuery, tenantId: string): URLSearchParams | SourceRefusal {
  const linkId = boundOf(query, 'linkId', 'equals')
  const start = String(boundOf(query, 'occurredAt', 'atLeast'))
  const end = String(boundOf(query, 'occurredAt', 'below'))
  const endMs = Date.parse(end)
  // Dub takes the end of a window for the whole UTC day that contains it.
  if (endMs % DAY_MS !== 0)
    return refusal('below', 'must be at 00:00 UTC: the link service counts whole days')
  if (query.by === 'day' && endMs - Date.parse(start) > DAYS_MAX * DAY_MS) {
    const allowed = `must be at most ${DAYS_MAX} days before end when grouped by day: the link service counts months then`
    return refusal('atLeast', allowed)
  }
  return new URLSearchParams({
    event: 'composite',
    groupBy: groupings[query.by]?.groupBy ?? '',
    tenantId,
    ...(linkId === null ? {} : { linkId: String(linkId) }),
    start,
    // Dub includes the whole day of the window's end, so what is sent is the last millisecond before the given
    // midnight.
    end: new Date(endMs - 1).toISOString(),
    timezone: 'UTC',
  })
}

function refusal(operator: Predicate['operator'], allowed: string): SourceRefusal {
  return { kind: 'unsupported', field: 'occurredAt', operator, allowed }
}

/** Returns a reader of a group's value, under the key that this grouping has. */
function namedValue({ key, schema }: Grouping) {
  return v.pipe(
    v.object({ [key]: schema }),
    v.transform((given) => ({ text: given[key] ?? '' })),
  )
}

/** The requested page, cut out of all groups in Dub's answer. */
function groupsInAnswer(body: unknown, query: GroupsQuery): SourceGroups {
  const grouping = groupings[query.by]
  if (grouping === undefined) throw new Error(`Links are not grouped by ${query.by}`)
  const reading = v.safeParse(v.array(v.intersect([v.object(sums), namedValue(grouping)])), body)
  if (!reading.success) return unavailable('The link service answered with something that is no analytics.')
  const groups = new Map<string | null, Group>()
  for (const { text, saleAmount, ...found } of reading.output) {
    const group = UNKNOWN.has(text) ? null : text
    const before = groups.get(group)
    // Cities with the same name in several regions are one group here.
    const add = (name: string, more: number) => Number(before?.[name] ?? 0) + more
    groups.set(group, {
      value: group,
      clicks: add('clicks', found.clicks),
      leads: add('leads', found.leads),
      sales: add('sales', found.sales),
      saleAmountCents: add('saleAmountCents', saleAmount),
    })
  }
  const happened = [...groups.values()].filter((group) => query.sums.some((name) => group[name] !== 0))
  const page = pageOfGroups(happened, { ...query, limit: query.limit + 1 })
  const rows = page.slice(0, query.limit)
  const last = page.length > rows.length ? rows.at(-1) : undefined
  return { kind: 'groups', rows, next: last === undefined ? null : positionOfGroup(last, query.sums[0]) }
}

/**
 * The longest time for one attempt, its body included. Two attempts and the pause between them are still quick enough
 * for a caller who waits.
 */
const TIMEOUT_MS = 5_000
/** One pause, so at most two attempts. */
const BACKOFF: Backoff = { pausesMs: [100] }
/** The longest pause that Dub may ask for. If it asks for a longer one, no second attempt is made. */
const ASKED_PAUSE_MAX_MS = 2_000
const BODY_MAX_BYTES = 8 * 1024 * 1024

/** The result of one read: JSON, "not found", or "the service cannot be used". */
type DubRead =
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'missing' }
  | SourceFailure

type Answer = Exclude<DubRead, SourceFailure>

/** When a second attempt is worth making: after the usual pause, after the pause that Dub asked for, or never. */
type Retry = 'usual' | 'never' | { readonly afterMs: number }

interface Failed {
  readonly kind: 'failed'
  readonly failure: SourceFailure
  readonly retry: Retry
}

/**
 * Reads from Dub's HTTP API. A read that got no answer, or an answer that reports a temporary failure (5xx, or 429 with
 * a short `Retry-After`), is tried once more. Never rejects.
 */
async function readDub(options: DubOptions, path: string, query: URLSearchParams): Promise<DubRead> {
  for (let tries = 1; ; tries += 1) {
    const read = await attempt(options, path, query)
    if (read.kind !== 'failed') return read
    const { failure, retry } = read
    const usualMs = pauseAfter(BACKOFF, tries)
    if (usualMs === null || retry === 'never') return failure
    await pause(options.deadline, retry === 'usual' ? usualMs : retry.afterMs)
  }
}

/** The link service cannot be used now. */
function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

async function attempt(
  { apiKey, baseUrl, fetch, deadline, clock }: DubOptions,
  path: string,
  query: URLSearchParams,
): Promise<Answer | Failed> {
  const signal = deadline.after(TIMEOUT_MS)
  try {
    const response = await fetch(`${baseUrl}${path}?${query.toString()}`, {
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      // Following a redirect would send the key to another host.
      redirect: 'manual',
      signal,
    })
    if (response.status === 200) return await bodyOf(response, signal)
    await response.body?.cancel()
    return failureOf(response, clock.nowMs())
  } catch (cause) {
    return failed('The link service did not answer.', 'usual', cause)
  }
}

async function bodyOf({ body }: Response, signal: AbortSignal): Promise<Answer | Failed> {
  const read = body === null ? null : await readLimited(body, BODY_MAX_BYTES, signal)
  if (read?.kind === 'incomplete')
    return failed('The link service broke off its answer.', 'usual', read.cause)
  if (read?.kind !== 'bytes') return failed('The link service gave no answer of a usable size.', 'never')
  const json = parsedOr(decodeUtf8(read.bytes, true) ?? '', undefined)
  return json === undefined
    ? failed('The link service answered with something that is no JSON.', 'never')
    : { kind: 'json', body: json }
}

function failureOf({ status, headers }: Response, nowMs: number): { readonly kind: 'missing' } | Failed {
  if (status === 404) return { kind: 'missing' }
  if (status === 401 || status === 403) return failed('The link service refused the key.', 'never')
  if (status === 429) {
    const afterMs = retryAfterMs(headers.get('retry-after'), nowMs)
    const isShort = afterMs !== null && afterMs <= ASKED_PAUSE_MAX_MS
    return failed('The link service asked for patience.', isShort ? { afterMs } : 'never')
  }
  return failed(`The link service answered with status ${status}.`, status >= 500 ? 'usual' : 'never')
}

function failed(reason: string, retry: Retry, cause?: unknown): Failed {
  return { kind: 'failed', failure: { ...unavailable(reason), cause }, retry }
}
