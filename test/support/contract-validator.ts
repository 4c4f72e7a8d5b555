import type { Endpoint } from '../../domain/contract/endpoint.ts'
import { operationsAt, schemaProblems } from './contract-document.ts'

/** Checks a JSON body against what the contract document says of this endpoint and status; `[]` when it fits. */
export function validatorOf(endpoint: Endpoint, status: number): (body: unknown) => readonly string[] {
  const operation = operationsAt(endpoint.path).find(({ method }) => method === endpoint.method)
  const media = operation?.responses[status]?.content?.['application/json']
  if (media === undefined) throw new Error(`${endpoint.id} documents no JSON with ${status}`)
  return (body) => schemaProblems(media.schema, body)
}
