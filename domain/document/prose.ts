import type { Order } from '../../ports/records.ts'
import { KEY_PREFIXES } from '../access/keys.ts'
import { tags, type Scope } from '../record/description.ts'
import type { Deprecation } from '../record/endpoint.ts'
import { jsonSchemaOf, type JsonSchema, type ParameterObject } from './json-schema.ts'
import { limitMeaning, DEFAULT_LIMIT, SORT_ORDERS } from '../read/query.ts'
import {
  capabilityRefused,
  ErrorBody,
  notFound,
  sourceUnavailable,
  AUTH_SCHEME,
  internalError,
  unauthorized,
} from '../record/reply.ts'
import { Pagination } from '../read/page.ts'
import { INSTANT_FORM } from '../text/instant.ts'
import { beyondRate, rateLimitHeaders } from '../access/rate-limiter.ts'
import type { SharedResponse } from '../record/operation.ts'

/** The parts of the contract document that are written by hand and not derived. */

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

const description = `Read-only, tenant-scoped data of one organization, a public endpoint for form submissions, and
sending SMS, MMS and email.

**Tenants.** The organization bound to the API key is the only scope. No request can name another; an identifier of
another organization answers exactly as one that does not exist.

**Paging.** Collections are ordered newest first by their natural time, then by id. Follow
\`pagination.nextCursor\` until \`hasMore\` is false, whatever the number of rows: a page ends at its \`limit\`, at 4 MiB,
or where a filter selects few rows of very many, after about 20,000 rows were read, and then it is short or even empty
although more follow. A filter by an email address, a phone number, a contact or a voucher never needs that where it is the
only one, nor does a form, survey, automation or voucher group in the natural order. A cursor is good for the collection
(and parent) that gave it; \`limit\` and filters may change from page to page, as long as the order stays the same; the grouping and the window
of link analytics may not.

**Syncing.** Pass \`updatedAfter\` (inclusive) to read changes oldest first by \`updatedAt\`; keep the last
\`updatedAt\` you saw and start there the next time. Rows of that instant come again: store by id. What was
removed is listed by \`/api/v1/removals\`: sync that collection too. A name that is shown from another resource (\`formName\`) is
its present one: a renamed form does not count as a change of its submissions.

**Parameters.** An unknown, repeated or malformed parameter of a read with a key answers 400. There are two exceptions:
a \`limit\` that cannot be used counts as left out, and the deprecated operations about memberships ignore what they do not know. What
takes no parameters, such as a send or a submission, ignores all. An empty value counts
as not passed: \`email=\` reads all contacts, and \`cursor=\` begins again.

**Time.** Timestamps are UTC ISO 8601 with milliseconds. Timestamp filters need an explicit offset; \`…After\` is
inclusive, \`…Before\` exclusive.

**Codes.** Voucher codes and the fulfillment codes of purchases are left out unless \`includeCodes=true\` is passed. It
is an unknown parameter where there are no codes.

**Methods.** \`HEAD\` works wherever \`GET\` does, with the same status and headers, but without \`Content-Length\` and
without a body. A method that a path does not have answers 405, with \`Allow\` and a body such as that of a 404 of that path.
A path that does not exist answers 404 \`{ "error": … }\`. An answer of 503 says that the service is not configured.

**Limits.** An authenticated endpoint has no rate limit of its own. A key has a rate only if the operator set one: every
answer of an endpoint to such a key says in \`RateLimit\` and \`RateLimit-Policy\` what is left, and a request beyond the
rate is answered with 429 and \`Retry-After\`.

**Deprecated operations** stay available; they are older than the rest and differ from it in details that they describe.

**Tracing.** Every answer carries \`X-Request-Id\`. Quote it when you ask the operator about a request.`

/** What the document says of the interface as a whole. */
export const info = {
  title: 'Tenant data API',
  version: '1.0.0',
  summary: "Read one organization's data, and submit forms to it.",
  description,
  contact: { name: 'The operator of this service, who issued your key' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
} satisfies JsonSchema

const tagDescriptions: Readonly<Record<(typeof tags)[number], string>> = {
  Sites: 'Places of business.',
  Products: 'What the organization sells.',
  'Checkout links': 'Links that lead to a checkout.',
  Purchases: 'What was bought and paid.',
  Contacts: 'People the organization knows.',
  'Contact lists': 'Named groups of contacts.',
  Marketing: 'Who signed up to be written to.',
  Forms: 'Form definitions and what was submitted to them.',
  'Form submission':
    'Submitting a published form from any website, without a key. There is no rate, but what is taken for spam is answered with 200 and saved alike, and nothing follows from it: no email, contact, automation or webhook. More than 20 submissions of a form within a minute from one network are. What a page needs to know of the fields is at `/forms/{formId}/definition`, without a key and outside of this document.',
  Vouchers: 'Vouchers, the groups they were issued in, and their redemptions.',
  Links: 'Short links, and how often they were followed and what came of it.',
  Automations: 'What follows from events, and each time it did.',
  Surveys: 'Questions put to customers, and what they answered.',
  Cases: 'Requests of customers and how they were handled.',
  Analytics:
    'Figures about memberships, offers and cancellations. These endpoints predate the rest: they stay as they are and available, marked deprecated, so they are safe to use. They are lenient about their parameters.',
  Cancellations: 'Memberships that ended, and what was billed for them in their first year.',
  Removals: 'What could be read and no longer can, for those who keep copies.',
  Messaging:
    'Sending SMS, MMS and email. Deprecated, and unchanged for whoever uses it. Nothing replaces these operations yet, and they stay available, so they are safe to use.',
  Reviews:
    'What customers wrote on Google, about the sites of the organization and of its child organizations.',
  'Point of sale':
    "Sales, customers and recurring accounts as the organization's point-of-sale system holds them. The organization " +
    'decides which system that is; one without any gets 404 on these routes. They are read as they are at the ' +
    'moment, and there is no sync by `updatedAt`.',
  Contract: 'This document.',
}

/** An object schema in which all properties but the optional ones are required and no others are allowed. */
export function closedObject(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

const text: JsonSchema = { type: 'string' }

export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    description: 'Why a request failed.',
    ...jsonSchemaOf(ErrorBody),
  },
  Pagination: {
    description: 'Where a page stands in its collection.',
    ...jsonSchemaOf(Pagination),
  },
}

export const sharedResponses = {
  BadRequest: errorResponse(
    "An unknown, repeated or malformed parameter, a cursor that does not belong here, or a resource unavailable for the organization's provider.",
    `Parameter createdAfter must be ${INSTANT_FORM}.`,
  ),
  Unauthorized: unauthorizedResponse(
    'The API key is missing, malformed, unknown, revoked or expired, or of a kind that may not call this: the same text for each of these. A scope that does not cover the call, and a key that came over plain http, have a text of their own. The sends answer with the one word `Unauthorized`.',
    'read',
  ),
  Forbidden: errorResponse(
    'The organization does not have what this needs.',
    capabilityRefused('analytics').value.error,
  ),
  NotFound: errorResponse(
    'There is no such resource in the organization of the key.',
    notFound().value.error,
  ),
  Conflict: errorResponse('What is stored does not allow it.', 'It was changed meanwhile.'),
  TooManyRequests: tooManyRequestsResponse,
  InternalError: internalErrorResponse,
  SourceUnavailable: errorResponse(
    'What this is read from did not answer. Try again later.',
    sourceUnavailable().value.error,
  ),
} as const satisfies DocumentTexts['responses']

const securitySchemes = {
  tenantKey: {
    type: 'http',
    scheme: 'bearer',
    description: `A tenant key (\`${KEY_PREFIXES.tenant}…\`), bound to one organization. ${CASE_SENSITIVE_SCHEME}`,
  },
  platformKey: {
    type: 'http',
    scheme: 'bearer',
    description: `A platform key (\`${KEY_PREFIXES.platform}…\`): sends under the operator's brand, nothing else.`,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>

/** The texts of the contract document of the public interface. */
export const publicTexts: DocumentTexts = {
  info,
  tags,
  tagDescriptions,
  responses: sharedResponses,
  securitySchemes,
}

export function limitParameter(maximum: number): ParameterObject {
  return {
    name: 'limit',
    in: 'query',
    description: limitMeaning(maximum),
    schema: { type: 'integer', minimum: 1, maximum, default: DEFAULT_LIMIT },
    example: 50,
  }
}

export function cursorParameter(syncs: boolean, sorts: boolean): ParameterObject {
  const conditions = [
    '`pagination.nextCursor` of the page before, from this very collection.',
    ...(syncs
      ? [
          'A cursor of a read with `updatedAfter` or `updatedBefore` needs one of them, of any value, on the next page too.',
        ]
      : []),
    ...(sorts ? ['A cursor of a sorted read needs the same `sortBy` and `sortOrder`.'] : []),
  ]
  return {
    name: 'cursor',
    in: 'query',
    description: conditions.join(' '),
    schema: text,
    example: 'AbL3nQ0yVx7Rk2mZ9tWc',
  }
}

/** The headers of every answer of a deprecated endpoint to an organization that may use it. */
export function deprecationHeaders({ sinceSeconds }: Deprecation): Readonly<Record<string, JsonSchema>> {
  return {
    Deprecation: {
      schema: { type: 'string', pattern: '^@[0-9]+$' },
      example: `@${sinceSeconds}`,
      description: 'Since when the endpoint is deprecated: `@` and seconds since 1970 (RFC 9745).',
    },
    Link: {
      schema: { type: 'string', pattern: '^<[^>]+>; rel="successor-version"$' },
      example: '</api/v1/pos/transactions>; rel="successor-version"',
      description: 'The endpoint that takes its place, with `rel="successor-version"` (RFC 8288).',
    },
  }
}

export const groupsCursorParameter: ParameterObject = {
  ...cursorParameter(false, false),
  description:
    '`pagination.nextCursor` of the page before. It carries the grouping and the window: leave them out, or pass the same.',
}

/** The parameters that choose the order of a collection. */
export function sortParameters(sorts: readonly string[], order: Order): readonly ParameterObject[] {
  const direction = order.direction === 'ascending' ? 'asc' : 'desc'
  return [
    {
      name: 'sortBy',
      in: 'query',
      description:
        'The field that orders the rows; those without one come last, whatever the direction. It is refused together with `updatedAfter` and `updatedBefore`, which order by `updatedAt`.',
      schema: { type: 'string', enum: sorts, default: order.field },
      example: sorts.at(-1),
    },
    {
      name: 'sortOrder',
      in: 'query',
      description: 'The direction of the sort; refused like `sortBy`.',
      schema: { type: 'string', enum: SORT_ORDERS, default: direction },
      example: direction,
    },
  ]
}

export const codesParameter: ParameterObject = {
  name: 'includeCodes',
  in: 'query',
  description: 'Whether codes are published too. The value must be true or false.',
  schema: { type: 'boolean', default: false },
  example: true,
}
