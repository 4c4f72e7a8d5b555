import { beyondRate, rateLimitHeaders } from '../access/rate-limiter.ts'
import type { Scope } from '../record/operation/description.ts'
import type { SharedResponse } from '../record/operation/operation.ts'
import { AUTH_SCHEME, internalError, unauthorized } from '../record/operation/reply.ts'
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

const SAMPLE_BUDGET = { ratePerMinute: 600, remaining: 0, renewsInMs: 12_000, isExceeded: true }

const rateHeaders = {
  'RateLimit-Policy': {
    required: true,
    schema: { type: 'string', pattern: '^"minute";q=[1-9][0-9]*;w=60$' },
    example: rateLimitHeaders(SAMPLE_BUDGET)['ratelimit-policy'],
    description: 'The rate: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
  },
  RateLimit: {
    required: true,
    schema: { type: 'string', pattern: '^"minute";r=[0-9]+;t=[1-9][0-9]?$' },
    example: rateLimitHeaders(SAMPLE_BUDGET).ratelimit,
    description: 'What is left: `r` requests for the next `t` seconds.',
  },
  'Retry-After': {
    required: true,
    schema: { type: 'string', pattern: '^[1-9][0-9]?$' },
    example: '12',
    description: 'After how many seconds the next request is admitted.',
  },
}

/** The answer beyond the rate of a key. */
export const tooManyRequestsResponse: JsonSchema = {
  ...errorResponse(
    'The key has a rate, which its operator set, and this request is beyond it. Other answers to such a key have `RateLimit` and `RateLimit-Policy` too; a key without a rate never gets this answer.',
    beyondRate(SAMPLE_BUDGET),
  ),
  headers: rateHeaders,
}

/** The sentence about the `Authorization` header in the descriptions of the security schemes. */
export const CASE_SENSITIVE_SCHEME = `The prefix \`${AUTH_SCHEME} \` is case-sensitive.`
