import type { OneQuery, StoredRow } from '../../../ports/records.ts'
import type { DetailEndpoint } from '../../record/endpoint.ts'
import { CODES_PARAMETER, readCodes, readParameters } from './query-string.ts'
import { parentQuery, type Planner } from './read-plan.ts'
import { errorReply } from '../../record/operation/reply.ts'
import { publisherOf } from './publisher.ts'
import { selection, type Resource } from '../../record/resource.ts'

/**
 * Plans the read of one row by the id in its path, and of its parent if it has one. A missing parent, and a row that
 * refers to another parent, lead to the same reply as a missing row. A detail has no query parameters but
 * `includeCodes`, where the resource has codes.
 */
export const planDetail: Planner<DetailEndpoint> = async (endpoint, request) => {
  const parameters = readParameters(request.query, endpoint.offersCodes ? [CODES_PARAMETER] : [])
  if (parameters.kind === 'problem') return { kind: 'refusal', reply: errorReply(400, parameters.error) }
  const codes = readCodes(parameters.given)
  if (typeof codes === 'object') return { kind: 'refusal', reply: errorReply(400, codes.error) }
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
