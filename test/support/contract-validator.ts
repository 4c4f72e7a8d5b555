import type { Endpoint } from '../../domain/record/endpoint.ts'
import type { DocumentedResponse } from './contract-document.ts'
import { operationsAt, schemaProblems } from './contract-document.ts'

/** Checks a JSON body against what the contract document says of this endpoint and status; `[]` when it fits. */
export function validatorOf(endpoint: Endpoint, status: number): (body: unknown) => readonly string[] {
  const response: DocumentedResponse | undefined = operationOf(endpoint)?.responses[status]
  const media = response?.content?.['application/json']
  if (media === undefined) throw new Error(`${endpoint.id} documents no JSON with ${status}`)
  return (body) => schemaProblems(media.schema, body)
}

/** Checks a JSON body against what the contract document says of the requests of an endpoint; `[]` when it fits. */
export function requestValidatorOf(endpoint: Endpoint): (body: unknown) => readonly string[] {
  const media = operationOf(endpoint)?.requestBody?.content['application/json']
  if (media === undefined) throw new Error(`${endpoint.id} documents no JSON that it takes`)
  return (body) => schemaProblems(media.schema, body)
}

function operationOf({ path, method }: Endpoint) {
  return operationsAt(path).find((operation) => operation.method === method)
}
