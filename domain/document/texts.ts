import type { SharedResponse } from '../record/operation.ts'
import type { JsonSchema } from './json-schema.ts'

/** The texts of a contract document that are written by hand, and so differ from one interface to another. */
export interface DocumentTexts {
  readonly info: JsonSchema
  /** Groups of operations, in the order of the document. */
  readonly tags: readonly string[]
  readonly tagDescriptions: Readonly<Record<string, string>>
  readonly responses: Readonly<Record<SharedResponse, JsonSchema>>
  /** The ways to prove who calls, by name; the document has those that its operations take. */
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>
}

/** A failure whose body is `{ error }`. */
export function errorResponse(description: string, error: string, extra: JsonSchema = {}): JsonSchema {
  const media = { schema: { $ref: '#/components/schemas/Error' }, example: { error } }
  return { description, content: { 'application/json': media }, ...extra }
}

export const internalErrorResponse = errorResponse(
  'Internal failure; the text carries the request id and nothing else.',
  'The request could not be processed. Request id: req_4Xc9mB7tQ2vN8kLw',
)
