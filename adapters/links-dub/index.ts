import type { LinkSource, SourceGroups } from '../../ports/sources.ts'
import type {
  GroupsQuery,
  OneQuery,
  PageQuery,
  Predicate,
  StoredRow,
  SourcePage,
  SourceRow,
  Position,
  Scalar,
  SourceRefusal,
} from '../../ports/records.ts'
import { analyticsQuery, groupsInAnswer } from './analytics.ts'
import { readDub, unavailable, type DubOptions } from './client.ts'
import * as v from 'valibot'
import { InstantInput } from '../../domain/record/field.ts'

export type { DubOptions } from './client.ts'
export { DUB_URL } from './api-url.ts'

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
  clicks: count,
  leads: count,
  sales: count,
  saleAmount: v.optional(v.pipe(v.number(), v.safeInteger()), 0),
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
