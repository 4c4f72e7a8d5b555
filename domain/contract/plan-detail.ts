import type { DetailEndpoint } from './endpoint.ts'
import { readParameters } from './query-string.ts'
import type { Planner } from './read-plan.ts'
import { errorReply, jsonReply, notFound, PRIVATE } from './reply.ts'
import { selection, serializer } from './resource.ts'

/** Plans the read of one row by the id in its path. A detail takes no query parameters. */
export const planDetail: Planner<DetailEndpoint> = async (endpoint, request) => {
  const parameters = readParameters(request.query, [])
  if (parameters.kind === 'problem') return { kind: 'refusal', reply: errorReply(400, parameters.error) }
  const { resource } = endpoint
  const id = request.params[resource.idField] ?? ''
  return {
    kind: 'queries',
    queries: [{ kind: 'one', collection: resource.collection, select: selection(resource), id }],
    answer: async ([rows = []]) => {
      const row = rows[0]
      return row === undefined ? notFound() : jsonReply(200, serializer(resource)(row), PRIVATE)
    },
  }
}
