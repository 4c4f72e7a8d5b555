import type { OneQuery, StoredRow } from '../../ports/query.ts'
import type { DetailEndpoint } from './endpoint.ts'
import { CODES_PARAMETER, readCodes, readParameters } from './query-string.ts'
import type { Planner } from './read-plan.ts'
import { parentQuery } from './read-plan.ts'
import { errorReply, jsonReply, notFound, PRIVATE } from './reply.ts'
import type { Resource } from './resource.ts'
import { selection, serializer } from './resource.ts'

/**
 * Plans the read of one row by the id in its path, and of its parent where it has one: a parent that is missing, and a
 * row that refers to another, answer as a row that is missing. A detail takes no query parameters but `includeCodes`, where there are codes.
 */
export const planDetail: Planner<DetailEndpoint> = async (endpoint, request) => {
  const parameters = readParameters(request.query, endpoint.offersCodes ? [CODES_PARAMETER] : [])
  if (parameters.kind === 'problem') return { kind: 'refusal', reply: errorReply(400, parameters.error) }
  const codes = readCodes(parameters.given)
  if (typeof codes === 'object') return { kind: 'refusal', reply: errorReply(400, codes.error) }
  const { resource, parent } = endpoint
  const id = request.params[endpoint.param] ?? ''
  const query: OneQuery = {
    kind: 'one',
    collection: resource.collection,
    select: selection(resource, codes),
    id,
  }
  const publish = serializer(resource, codes)
  const parentId = parent === null ? null : (request.params[parent.param] ?? '')
  const isAsked = (row: StoredRow) =>
    isOf(resource, row) && (parent === null || row[parent.param] === parentId)
  return {
    kind: 'one',
    parent: parent === null ? null : parentQuery(parent, parentId ?? ''),
    query,
    answer: async (row) => (isAsked(row) ? jsonReply(200, publish(row), PRIVATE) : notFound()),
  }
}

/** Whether a stored row is one of those that the resource is made of. */
function isOf({ only }: Resource, row: StoredRow): boolean {
  return only === null || row[only.field] === only.value
}
