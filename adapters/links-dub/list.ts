import type { PageQuery, Position, Predicate, Scalar, SourceRefusal } from '../../ports/records.ts'

/** The most links that Dub gives at a time. */
const PAGE_MAX = 100

/** Dub's names of the fields that it sorts by. */
const SORTS: Readonly<Record<string, string>> = {
  createdAt: 'createdAt',
  clicks: 'clicks',
  lastClickedAt: 'lastClicked',
}

/** One request for links: the query, and what is needed to ask for the next page. */
export interface ListRequest {
  readonly query: URLSearchParams
  readonly pageSize: number
  /**
   * The number of rows before this page, when Dub numbers the pages; null: the next page starts after the last link of
   * this one.
   */
  readonly offset: number | null
}

/** The request for a page, or why Dub cannot serve it. */
export function listRequest(page: PageQuery, tenantId: string): ListRequest | SourceRefusal {
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
export function nextPosition({ offset, pageSize }: ListRequest, lastId: string): Position {
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
