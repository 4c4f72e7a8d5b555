import type { LinkSource, SourceGroups } from '../../ports/sources.ts'
import type {
  GroupsQuery,
  OneQuery,
  PageQuery,
  Predicate,
  StoredRow,
  SourcePage,
  SourceRow,
} from '../../ports/records.ts'
import { analyticsQuery, groupsInAnswer } from './analytics.ts'
import { readDub, unavailable, type DubOptions } from './client.ts'
import { readLink } from './link.ts'
import { listRequest, nextPosition } from './list.ts'

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
