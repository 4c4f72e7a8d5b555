import type { Scope } from '../record/description.ts'
import type { SharedResponse } from '../record/operation.ts'
import { AUTH_SCHEME, internalError, unauthorized } from '../record/reply.ts'
import type { JsonSchema } from './json-schema.ts'

/** The texts of a contract document that are written by hand, and therefore differ between the interfaces. */
export interface DocumentTexts {
  readonly info: JsonSchema
  /** Groups of operations, in the order of the document. */
  readonly tags: readonly string[]
  readonly tagDescriptions: Readonly<Record<string, string>>
  readonly responses: Readonly<Record<SharedResponse, JsonSchema>>
  /** The security schemes by name. The document contains those that its operations use. */
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>
}

/** A failure whose body is `{ error }`. */
export function errorResponse(description: string, error: string): JsonSchema {
  const media = { schema: { $ref: '#/components/schemas/Error' }, example: { error } }
  return { description, content: { 'application/json': media } }
}

/** The answer to a key that is missing or refused, with the challenge that every such answer carries. */
export function unauthorizedResponse(description: string, scope: Scope | null): JsonSchema {
  const challenge = {
    required: true,
    schema: { const: AUTH_SCHEME },
    description: `Always \`${AUTH_SCHEME}\`.`,
  }
  const headers = { 'WWW-Authenticate': challenge }
  return { ...errorResponse(description, unauthorized(scope).value.error), headers }
}

export const internalErrorResponse = errorResponse(
  'Internal failure; the text carries the request id and nothing else.',
  internalError('req_4Xc9mB7tQ2vN8kLw').value.error,
)

/** The sentence about the `Authorization` header in the descriptions of the security schemes. */
export const CASE_SENSITIVE_SCHEME = `The prefix \`${AUTH_SCHEME} \` is case-sensitive.`
