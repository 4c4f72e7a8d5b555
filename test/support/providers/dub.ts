import { openStandIn, type StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts'

export const DUB_KEY = 'dub_test_key'
const DAY_MS = 86_400_000

/** A link as Dub's API returns it, with the fields that tests need. */
export interface DubLink {
  readonly id: string
  readonly tenantId: string | null
  readonly domain: string
  readonly key: string
  readonly url: string
  readonly shortLink: string
  readonly title: string | null
  readonly tags: readonly { readonly id: string; readonly name: string }[]
  readonly archived: boolean
  readonly clicks: number
  readonly leads: number
  readonly sales: number
  readonly saleAmount: number
  readonly expiresAt: string | null
  readonly lastClicked: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly password: string
}

/** One event in Dub's analytics. */
export interface DubEvent {
  readonly linkId: string
  readonly at: string
  readonly event: 'clicks' | 'leads' | 'sales'
  readonly saleAmount?: number
  readonly country?: string
  readonly referer?: string
}

export function dubLink(id: string, tenantId: string | null, changes: Partial<DubLink> = {}): DubLink {
  return {
    id,
    tenantId,
    domain: 'go.example',
    key: id,
    url: 'https://example.com/',
    shortLink: `https://go.example/${id}`,
    title: null,
    tags: [],
    archived: false,
    clicks: 0,
    leads: 0,
    sales: 0,
    saleAmount: 0,
    expiresAt: null,
    lastClicked: null,
    createdAt: '2026-06-01T00:00:00.000Z',
    updatedAt: '2026-06-01T00:00:00.000Z',
    password: 'planted-upstream-password',
    ...changes,
  }
}

/**
 * A stand-in for Dub, after its public documentation: lists of links with paging and sorting, single links, and
 * analytics.
 */
export async function openDub(links: readonly DubLink[], events: readonly DubEvent[] = []): Promise<StandIn> {
  return openStandIn((request) => answer(request, links, events))
}

function answer(
  request: StandInRequest,
  links: readonly DubLink[],
  events: readonly DubEvent[],
): StandInAnswer {
  const { pathname, searchParams } = new URL(request.path, 'http://dub')
  if (request.headers.authorization !== `Bearer ${DUB_KEY}`) return dubError(401, 'unauthorized')
  if (request.method !== 'GET') return dubError(404, 'not_found')
  switch (pathname) {
    case '/links':
      return list(searchParams, links)
    case '/links/info': {
      const found = links.find(({ id }) => id === searchParams.get('linkId'))
      return found === undefined ? dubError(404, 'not_found') : { status: 200, body: found }
    }
    case '/analytics':
      return analytics(searchParams, links, events)
    default:
      return dubError(404, 'not_found')
  }
}

/** An error in Dub's form. */
function dubError(status: number, code: string): StandInAnswer {
  return { status, body: { error: { code, message: `Something about a tenant: ${code}` } } }
}

const SORTS = ['createdAt', 'clicks', 'lastClicked', 'saleAmount'] as const

function list(query: URLSearchParams, links: readonly DubLink[]): StandInAnswer {
  const pageSize = Number(query.get('pageSize') ?? 100)
  const sortBy = SORTS.find((sort) => sort === (query.get('sortBy') ?? 'createdAt'))
  if (sortBy === undefined || !(pageSize >= 1 && pageSize <= 100))
    return dubError(422, 'unprocessable_entity')
  const tags = query.get('tagNames')?.toLowerCase().split(',')
  const sign = query.get('sortOrder') === 'asc' ? 1 : -1
  const sorted = links
    .filter(({ tenantId }) => !query.has('tenantId') || tenantId === query.get('tenantId'))
    .filter(({ domain }) => !query.has('domain') || domain === query.get('domain'))
    .filter(({ archived }) => query.get('showArchived') === 'true' || !archived)
    .filter((link) => tags === undefined || link.tags.some(({ name }) => tags.includes(name.toLowerCase())))
    .sort((left, right) => sign * compare(left[sortBy], right[sortBy]))
  const after = query.get('startingAfter')
  const behind = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  const start = query.has('page') ? (Number(query.get('page')) - 1) * pageSize : behind
  return { status: 200, body: sorted.slice(start, start + pageSize) }
}

/** Nulls are the smallest of all, as in Dub's database. */
function compare(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0
  if (left === null || right === null) return left === null ? -1 : 1
  return left < right ? -1 : 1
}

const KEYS: Readonly<Record<string, string>> = {
  timeseries: 'start',
  top_links: 'id',
  countries: 'country',
  cities: 'city',
  devices: 'device',
  browsers: 'browser',
  os: 'os',
  referers: 'referer',
}

function analytics(
  query: URLSearchParams,
  links: readonly DubLink[],
  events: readonly DubEvent[],
): StandInAnswer {
  const groupBy = query.get('groupBy') ?? 'count'
  const key = KEYS[groupBy]
  const startMs = Date.parse(query.get('start') ?? '')
  // The end of the window includes its whole day.
  const endMs = (Math.floor(Date.parse(query.get('end') ?? '') / DAY_MS) + 1) * DAY_MS - 1
  if (key === undefined || query.get('event') !== 'composite' || Number.isNaN(startMs + endMs))
    return dubError(422, 'unprocessable_entity')
  const tenantOf = new Map(links.map(({ id, tenantId }) => [id, tenantId]))
  const counted = events.filter(
    ({ at, linkId }) =>
      Date.parse(at) >= startMs &&
      Date.parse(at) <= endMs &&
      tenantOf.get(linkId) === query.get('tenantId') &&
      (!query.has('linkId') || linkId === query.get('linkId')),
  )
  const stepMs = endMs - startMs < 3 * DAY_MS ? DAY_MS / 24 : DAY_MS
  const valueOf = ({ at, linkId, country, referer }: DubEvent): string => {
    if (groupBy === 'timeseries') return new Date(Math.floor(Date.parse(at) / stepMs) * stepMs).toISOString()
    if (groupBy === 'top_links') return linkId
    if (groupBy === 'referers') return referer ?? '(direct)'
    return groupBy === 'countries' ? (country ?? 'Unknown') : 'Unknown'
  }
  const groups = Map.groupBy(counted, valueOf)
  // Intervals without events are listed too.
  if (groupBy === 'timeseries') {
    for (let ms = Math.floor(startMs / stepMs) * stepMs; ms <= endMs; ms += stepMs) {
      const step = new Date(ms).toISOString()
      if (!groups.has(step)) groups.set(step, [])
    }
  }
  const body = [...groups].map(([value, members]) => ({
    [key]: value,
    clicks: members.filter(({ event }) => event === 'clicks').length,
    leads: members.filter(({ event }) => event === 'leads').length,
    sales: members.filter(({ event }) => event === 'sales').length,
    saleAmount: members.reduce((sum, { saleAmount = 0 }) => sum + saleAmount, 0),
  }))
  return { status: 200, body }
}
