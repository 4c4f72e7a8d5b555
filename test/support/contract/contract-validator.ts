import type { Endpoint } from '../../../domain/record/endpoint.ts'
import { operationsAt, schemaProblems, type DocumentedResponse } from './contract-document.ts'

/**
 * Returns a function that checks a JSON body against the contract document, for this endpoint and status; it returns
 * `[]` when the body fits.
 */
export function validatorOf(endpoint: Endpoint, status: number): (body: unknown) => readonly string[] {
  const response: DocumentedResponse | undefined = operationOf(endpoint)?.responses[status]
  const media = response?.content?.['application/json']
  if (media === undefined) throw new Error(`${endpoint.id} documents no JSON with ${status}`)
  return (body) => schemaProblems(media.schema, body)
}

/**
 * Returns a function that checks a JSON body of a request against the contract document; it returns `[]` when the body
 * fits.
 */
export function requestValidatorOf(endpoint: Endpoint): (body: unknown) => readonly string[] {
  const media = operationOf(endpoint)?.requestBody?.content['application/json']
  if (media === undefined) throw new Error(`${endpoint.id} documents no JSON that it takes`)
  return (body) => schemaProblems(media.schema, body)
}

function operationOf({ path, method }: Endpoint) {
  return operationsAt(path).find((operation) => operation.method === method)
}
