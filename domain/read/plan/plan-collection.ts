import type { Order, PageQuery, Position, Scalar } from '../../../ports/records.ts'
import { decodeCursor, FOREIGN_CURSOR, nextCursorOf, type CursorScope } from './cursor.ts'
import { readLimit } from './limit.ts'
import type { Secrets } from '../../access/secrets.ts'
import { SYNC_FIELD, type CollectionEndpoint } from '../../record/endpoint.ts'
import {
  CODES_PARAMETER,
  problem,
  readCodes,
  readFilters,
  readParameters,
  type QueryProblem,
} from './query-string.ts'
import { parentQuery, type Planner, type ReadPlan } from './read-plan.ts'
import { publisherOf } from './publisher.ts'
import { errorReply, pageReply } from '../../record/operation/reply.ts'
import { selection } from '../../record/resource.ts'
import { toInstant } from '../../text/instant.ts'
import { orderName, otherOrder, readOrder, sortParameters } from './sort.ts'

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
