import type {
  GroupPosition,
  GroupsQuery,
  OneQuery,
  PageQuery,
  StoredRow,
  Order,
  Position,
  Scalar,
  Predicate,
} from '../../ports/records.ts'
import type { Secrets } from '../access/secrets.ts'
import {
  SYNC_FIELD,
  type Parent,
  type ReadEndpoint,
  type CollectionEndpoint,
  type DetailEndpoint,
  type GroupsEndpoint,
} from '../record/endpoint.ts'
import { errorReply, type Reply } from '../record/reply.ts'
import { pageReply, type PageOfTexts } from './page.ts'
import {
  decodeCursor,
  FOREIGN_CURSOR,
  nextCursorOf,
  type CursorScope,
  readLimit,
  CODES_PARAMETER,
  problem,
  readCodes,
  readFilters,
  readParameters,
  type QueryProblem,
  orderName,
  otherOrder,
  readOrder,
  sortParameters,
} from './query.ts'
import { selection, isPublishedAsStored, serializer, type Resource } from '../record/resource.ts'
import { toInstant } from '../text/instant.ts'
import { WINDOW_DAYS } from '../record/filter.ts'

/** A request for tenant data before its key has been checked. None of it is verified. */
export interface ReadRequest {
  /** The organization that the key claims. */
  readonly organizationId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** When the request arrived, in ms since 1970. */
  readonly nowMs: number
  /** The maximum number of rows to look at for a page. */
  readonly looksAtMax: number
}

/** One page of groups as it was read, and where the next one starts. */
interface PageOfGroups {
  readonly rows: readonly StoredRow[]
  readonly next: GroupPosition | null
}

/** The plan of a read: its queries and how to reply with their results, or a refusal. */
export type ReadPlan =
  | {
      readonly kind: 'page'
      /** For a nested route, the query that finds its parent; no row means 404. Null: the endpoint has no parent. */
      readonly parent: OneQuery | null
      readonly query: PageQuery
      /** Turns a stored row into the published one; null: a row that storage wrote as JSON is published unchanged. */
      readonly publish: ((row: StoredRow) => StoredRow) | null
      readonly answer: (page: PageOfTexts) => Promise<Reply>
    }
  | {
      readonly kind: 'groups'
      readonly parent: OneQuery | null
      readonly query: GroupsQuery
      readonly answer: (page: PageOfGroups) => Promise<Reply>
    }
  | {
      readonly kind: 'one'
      readonly parent: OneQuery | null
      readonly query: OneQuery
      /** As for a page. */
      readonly publish: ((row: StoredRow) => StoredRow) | null
      /** Whether the found row is the requested one; null: any row with that id is. */
      readonly isAsked: ((row: StoredRow) => boolean) | null
    }
  | { readonly kind: 'refusal'; readonly reply: Reply }
  | { readonly kind: 'needs_country' }

/** The query for whether the parent of a nested route exists: it returns one row with only the id, or none. */
function parentQuery({ resource }: Parent, parentId: string): OneQuery {
  const { collection, idField } = resource
  return { kind: 'one', collection, select: [idField], id: parentId }
}

/** Plans one read. `phoneCountry` is null until the organization is known. */
type Planner<E extends ReadEndpoint> = (
  endpoint: E,
  request: ReadRequest,
  phoneCountry: string | null,
  secrets: Secrets,
) => Promise<ReadPlan>

/** The query parameters of a collection, in the order in which they are documented. */
function collectionParameters(endpoint: CollectionEndpoint): readonly string[] {
  const codes = endpoint.offersCodes ? [CODES_PARAMETER] : []
  return ['limit', 'cursor', ...sortParameters(endpoint), ...codes, ...Object.keys(endpoint.filters)]
}

/** Plans a page of a collection, and the query for its parent if it has one. */
export const planCollection: Planner<CollectionEndpoint> = async (
  endpoint,
  request,
  phoneCountry,
  secrets,
) => {
  const parameters = readParameters(request.query, collectionParameters(endpoint))
  if (parameters.kind === 'problem') return refusal(parameters)
  const filters = await readFilters(endpoint.filters, parameters.given, phoneCountry)
  if (filters.kind === 'problem') return refusal(filters)
  const codes = readCodes(parameters.given)
  if (typeof codes === 'object') return refusal(codes)
  if (filters.kind === 'needs_country') return filters
  const forgotten = forgottenSince(endpoint, filters.where, request.nowMs)
  if (forgotten !== null) return refusal(problem(forgotten))

  const parentId = endpoint.parent === null ? null : (request.params[endpoint.parent.param] ?? '')
  const scope: CursorScope = { organizationId: request.organizationId, endpointId: endpoint.id, parentId }
  const syncs = filters.where.some(({ field }) => field === SYNC_FIELD)
  const order = readOrder(endpoint, parameters.given, syncs)
  if ('kind' in order) return refusal(order)
  const after = await readCursor(parameters.given.get('cursor'), orderName(endpoint, order), scope, secrets)
  if (after !== null && 'kind' in after) return refusal(after)

  const limit = readLimit(parameters.limits, endpoint.maxLimit)
  const query: PageQuery = {
    kind: 'page',
    collection: endpoint.resource.collection,
    select: selectionOf(endpoint, order, codes),
    where: [...fixedPredicates(endpoint, parentId), ...filters.where],
    order,
    after,
    limit,
    looksAtMax: request.looksAtMax,
  }
  return {
    kind: 'page',
    parent: endpoint.parent === null ? null : parentQuery(endpoint.parent, parentId ?? ''),
    query,
    publish: await publisherOf(endpoint.resource, codes, query.select),
    answer: async ({ texts, next }) => {
      const cursor = { order: orderName(endpoint, order), position: next }
      return pageReply({
        organizationId: request.organizationId,
        filters: filters.echo,
        data: texts,
        limit,
        nextCursor: await nextCursorOf(cursor, scope, secrets),
      })
    },
  }
}

const DAY_MS = 86_400_000

/** Why a sync cannot begin where it is asked to: rows from before that were forgotten. Null: it can. */
function forgottenSince(
  { keptDays }: CollectionEndpoint,
  where: PageQuery['where'],
  nowMs: number,
): string | null {
  if (keptDays === null) return null
  const since = toInstant(nowMs - keptDays * DAY_MS)
  const isBefore = where.some(
    ({ field, operator, value }) => field === SYNC_FIELD && operator === 'atLeast' && String(value) < since,
  )
  return isBefore
    ? `Parameter updatedAfter must not be more than ${keptDays} days ago: what was removed before is not known any more, so everything must be read again.`
    : null
}

function selectionOf(endpoint: CollectionEndpoint, order: Order, codes: boolean): readonly string[] {
  return [...new Set([...selection(endpoint.resource, codes), order.field, order.idField])]
}

/**
 * The predicates of every page of the collection: those that define the rows of its resource, and that for the parent.
 */
function fixedPredicates(
  { resource, parent }: CollectionEndpoint,
  parentId: string | null,
): PageQuery['where'] {
  const { only } = resource
  const equals = (field: string, value: Scalar) => ({ field, operator: 'equals', value }) as const
  return [
    ...(only === null ? [] : [equals(only.field, only.value)]),
    ...(parent === null || parentId === null ? [] : [equals(parent.param, parentId)]),
  ]
}

async function readCursor(
  token: string | undefined,
  order: string,
  scope: CursorScope,
  secrets: Secrets,
): Promise<Position | null | QueryProblem> {
  if (token === undefined) return null
  const cursor = await decodeCursor(token, scope, secrets)
  if (cursor === null) return problem(FOREIGN_CURSOR)
  return cursor.order === order ? cursor.position : problem(otherOrder(cursor.order))
}

function refusal({ error }: QueryProblem): ReadPlan {
  return { kind: 'refusal', reply: errorReply(400, error) }
}

/**
 * Plans the read of one row by the id in its path, and of its parent if it has one. A missing parent, and a row that
 * refers to another parent, lead to the same reply as a missing row. A detail has no query parameters but
 * `includeCodes`, where the resource has codes.
 */
export const planDetail: Planner<DetailEndpoint> = async (endpoint, request) => {
  const parameters = readParameters(request.query, endpoint.offersCodes ? [CODES_PARAMETER] : [])
  if (parameters.kind === 'problem') return refusal(parameters)
  const codes = readCodes(parameters.given)
  if (typeof codes === 'object') return refusal(codes)
  const { resource, parent } = endpoint
  const id = request.params[endpoint.param] ?? ''
  const select = selection(resource, codes)
  const query: OneQuery = { kind: 'one', collection: resource.collection, select, id }
  const parentId = parent === null ? null : (request.params[parent.param] ?? '')
  const isAsked = (row: StoredRow) =>
    isOf(resource, row) && (parent === null || row[parent.param] === parentId)
  return {
    kind: 'one',
    parent: parent === null ? null : parentQuery(parent, parentId ?? ''),
    query,
    publish: await publisherOf(resource, codes, select),
    isAsked: parent === null && resource.only === null ? null : isAsked,
  }
}

/** Whether a stored row belongs to the resource. */
function isOf({ only }: Resource, row: StoredRow): boolean {
  return only === null || row[only.field] === only.value
}

type Publisher = (row: StoredRow) => StoredRow

/**
 * Returns a function that turns a stored row of a resource into the published one. Null: a row that storage wrote as
 * JSON already has its published form.
 * @param read the fields of the rows, in order
 */
async function publisherOf(
  resource: Resource,
  codes: boolean,
  read: readonly string[],
): Promise<Publisher | null> {
  if (isPublishedAsStored(resource, codes, read)) return null
  await resource.prepare?.()
  return serializer(resource, codes)
}

/** The grouping and the time window: instants, with the end excluded. */
interface Grouped {
  readonly groupBy: string
  readonly start: string
  readonly end: string
}

/** The query parameters of a read of groups, in the order in which they are documented. */
function groupsParameters({ filters }: GroupsEndpoint): readonly string[] {
  return ['limit', 'cursor', ...Object.keys(filters)]
}

/**
 * Plans a page of groups. Its cursor carries the grouping and the window, so that the defaults of the first page hold
 * for the following pages, however late they are read. A parameter that is passed again must have the same value.
 */
export const planGroups: Planner<GroupsEndpoint> = async (endpoint, request, phoneCountry, secrets) => {
  const parameters = readParameters(request.query, groupsParameters(endpoint))
  if (parameters.kind === 'problem') return refusal(parameters)
  const filters = await readFilters(endpoint.filters, parameters.given, phoneCountry)
  if (filters.kind === 'problem') return refusal(filters)
  if (filters.kind === 'needs_country') return filters
  const given = givenOf(filters.echo)

  const parentId = endpoint.parent === null ? null : (request.params[endpoint.parent.param] ?? '')
  const scope: CursorScope = { organizationId: request.organizationId, endpointId: endpoint.id, parentId }
  const token = parameters.given.get('cursor')
  const cursor = token === undefined ? null : await decodeCursor(token, scope, secrets)
  if (token !== undefined && cursor === null) return refusal(problem(FOREIGN_CURSOR))
  const asked =
    cursor === null
      ? withDefaults(given, endpoint.defaultGrouping, request.nowMs)
      : continued(given, cursor.order)
  if ('kind' in asked) return refusal(asked)

  const limit = readLimit(parameters.limits, endpoint.maxLimit)
  const query = groupsQuery(endpoint, asked, parentId, limit, groupPosition(cursor?.position ?? null))
  return {
    kind: 'groups',
    parent: endpoint.parent === null ? null : parentQuery(endpoint.parent, parentId ?? ''),
    query,
    answer: async ({ rows, next }) =>
      pageReply({
        organizationId: request.organizationId,
        filters: { ...asked },
        data: rows.map((row) => JSON.stringify(published(endpoint, asked.groupBy, parentId, row))),
        limit,
        nextCursor: await nextCursorOf({ order: nameOf(asked), position: positionOf(next) }, scope, secrets),
      }),
  }
}

/** The grouping and window as the caller gave them; null: left out. */
type Given = { readonly [Part in keyof Grouped]: string | null }

function givenOf(echo: Readonly<Record<string, unknown>>): Given {
  const textOf = (name: keyof Grouped) => {
    const value = echo[name]
    return typeof value === 'string' ? value : null
  }
  return { groupBy: textOf('groupBy'), start: textOf('start'), end: textOf('end') }
}

function withDefaults(given: Given, defaultGrouping: string, nowMs: number): Grouped | QueryProblem {
  const endMs = given.end === null ? (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS : Date.parse(given.end)
  const end = given.end ?? toInstant(endMs)
  const start = given.start ?? earliest(endMs - WINDOW_DAYS * DAY_MS)
  if (start >= end) return problem('Parameter end must be later than start.')
  return { groupBy: given.groupBy ?? defaultGrouping, start, end }
}

/**
 * The instant, but no earlier than the year 0. Instants are compared as text, and those of earlier years have another
 * form.
 */
function earliest(ms: number): string {
  return toInstant(Math.max(ms, Date.parse('0000-01-01T00:00:00.000Z')))
}

/** The grouping and the window of the previous page. */
function continued(given: Given, name: string): Grouped | QueryProblem {
  const [groupBy = '', start = '', end = ''] = name.split(' ')
  const before: Grouped = { groupBy, start, end }
  const changed = (['groupBy', 'start', 'end'] as const).find(
    (part) => given[part] !== null && given[part] !== before[part],
  )
  return changed === undefined
    ? before
    : problem(
        `Parameter ${changed} must be ${before[changed]}, as on the page before, or left out with a cursor.`,
      )
}

/** The text that identifies a grouping and its window in a cursor. */
function nameOf({ groupBy, start, end }: Grouped): string {
  return `${groupBy} ${start} ${end}`
}

function groupsQuery(
  { filters, groups, parent }: GroupsEndpoint,
  { groupBy, start, end }: Grouped,
  parentId: string | null,
  limit: number,
  after: GroupPosition | null,
): GroupsQuery {
  const { collection, sums, groupings, dayGrouping } = groups
  const of: readonly Predicate[] =
    parent === null || parentId === null ? [] : [{ field: parent.param, operator: 'equals', value: parentId }]
  const window = Object.entries({ start, end }).flatMap(([name, value]) => {
    const bound = filters[name]
    return bound === undefined ? [] : [{ field: bound.field, operator: bound.operator, value }]
  })
  return {
    kind: 'groups',
    collection,
    by: groupings[groupBy] ?? groupBy,
    where: [...of, ...window],
    sums,
    order: groupBy === dayGrouping ? 'value' : 'sum',
    after,
    limit,
  }
}

function published(
  { groups: { sums, idGrouping } }: GroupsEndpoint,
  groupBy: string,
  parentId: string | null,
  row: StoredRow,
): StoredRow {
  const id = parentId ?? (groupBy === idGrouping.grouping ? row.value : null)
  return {
    [idGrouping.field]: id,
    dimension: groupBy,
    value: row.value,
    ...Object.fromEntries(sums.map((name) => [name, row[name]])),
  }
}

/** A cursor's position must be text, but a group's value may be null. Therefore a value that is text gets this mark. */
const MARK = '='

function positionOf(next: GroupPosition | null): Position | null {
  return next === null ? null : { value: next.sum, id: next.value === null ? '' : MARK + next.value }
}

function groupPosition(position: Position | null): GroupPosition | null {
  if (position === null) return null
  return { sum: Number(position.value), value: position.id === '' ? null : position.id.slice(MARK.length) }
}
