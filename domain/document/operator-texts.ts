import {
  PROOF_AGE_MAX_MS,
  PROOF_PURPOSE,
  PROOF_SCHEME,
  PROOF_SUBKEY,
} from '../access/operator-credentials.ts'
import { OPERATOR_KEY_PREFIX } from '../access/keys.ts'
import { operatorTags } from '../record/description.ts'
import { sourceUnavailable } from '../record/reply.ts'
import type { JsonSchema } from './json-schema.ts'
import {
  CASE_SENSITIVE_SCHEME,
  errorResponse,
  internalErrorResponse,
  tooManyRequestsResponse,
  unauthorizedResponse,
  type DocumentTexts,
} from './prose.ts'

const description = `For the people who run the service: organizations, keys, imports, and what became of submissions.
The interface that organizations and their websites call is another one, with a document of its own at
\`/api/v1/openapi.json\`.

**Keys.** Every operation but this document needs an operator key (\`${OPERATOR_KEY_PREFIX}…\`) with the role that it names. A role
\`admin\` may do everything; \`support\` may read, retry the outbox, and test webhooks. Keys of organizations and of the platform are not
accepted here, nor operator keys there.

**People** sign in with their address, at \`POST /console/sign-in\` and \`POST /console/session\`, and have roles in organizations
or in the service. Their session, a cookie, is accepted wherever a key is, for the operations that are open to their role.

**Lists** are pages: pass \`pagination.nextCursor\` as \`cursor\` to read on.

**Audit.** Every change, and every refused one, is recorded with the key that asked for it.

**Failures** are \`{ "error": … }\`, one sentence for a person. A method that a path does not have gets 405 with \`Allow\`.
\`HEAD\` works wherever \`GET\` does. Every answer carries \`X-Request-Id\`, and over https \`Strict-Transport-Security\`.
A key that comes over plain http is refused with 401, except between programs of one machine.`

const info: JsonSchema = {
  title: 'Operator interface of the tenant data API',
  version: '1.0.0',
  summary: 'Run the service.',
  description,
  contact: { name: 'Whoever runs this service' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
}

const tagDescriptions: Readonly<Record<(typeof operatorTags)[number], string>> = {
  Organizations: 'The tenants of the service, and their settings.',
  Archives: 'Everything that is stored of an organization, to keep it elsewhere and to restore it.',
  Removal: 'Taking out what should not be there any more: rows, people, organizations, and what is old.',
  Keys: 'Keys of organizations, and of the platform.',
  'Operator keys': 'Keys of this interface.',
  People: 'Who signs in, with which role, and where.',
  'Form definitions': 'What the service thinks of a form before it is imported.',
  Automations: 'What follows a submission: emails and text messages to the visitor, lists and tags.',
  Imports: 'Writing many rows of an organization at once.',
  Outbox: 'What waits or failed after a submission.',
  Sends: 'What was sent to whom.',
  Webhooks:
    'Other systems that organizations tell of events, what they were told, and what they answered. Signed as Standard Webhooks says.',
  Audit: 'What operators did.',
  Service: 'The service itself.',
}

const responses: DocumentTexts['responses'] = {
  BadRequest: errorResponse(
    'An unknown, repeated or malformed parameter, a cursor of another list, or a body that is not what it must be.',
    'name: is required, because the organization is new.',
  ),
  Unauthorized: unauthorizedResponse(
    'The operator key is missing, malformed, unknown, revoked or expired, or it is a key of another kind.',
    null,
  ),
  Forbidden: errorResponse(
    'The role of the key does not allow this.',
    'This needs an operator key with the role admin; this key has the role support.',
  ),
  NotFound: errorResponse('There is no such thing.', 'There is no organization acme.'),
  Conflict: errorResponse(
    'What is stored does not allow this. Nothing was changed.',
    'Another organization has the slug acme.',
  ),
  // No operator key has a rate, so no operation refers to this.
  TooManyRequests: tooManyRequestsResponse,
  InternalError: internalErrorResponse,
  SourceUnavailable: errorResponse(
    'A system that this needs did not answer. Try again later.',
    sourceUnavailable().value.error,
  ),
}

/** The texts of the operator interface's document. */
export const operatorTexts: DocumentTexts = {
  info,
  tags: operatorTags,
  tagDescriptions,
  responses,
  securitySchemes: {
    operatorKey: {
      type: 'http',
      scheme: 'bearer',
      description: `An operator key (\`${OPERATOR_KEY_PREFIX}…\`). ${CASE_SENSITIVE_SCHEME}`,
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-session',
      description:
        'The session of somebody who signed in, as a person or with a key. A change needs `Sec-Fetch-Site: same-origin` or the `Origin` of this host as well, which browsers send by themselves. Over http, on loopback alone, the name is `session-` and the port.',
    },
    rootSecretProof: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: `\`${PROOF_SCHEME} {seconds}.{mac}\`: the time in seconds since 1970, at most ${PROOF_AGE_MAX_MS / 60_000} minutes off, and in base64url the HMAC-SHA-256 of \`${PROOF_PURPOSE}\`, the host of the request's URL (in lower case, with the port unless it is the scheme's own), these seconds and the base64url SHA-256 of the body, joined by line feeds, under a key derived from \`ROOT_SECRET\` by HKDF-SHA-256 (no salt, the info \`${PROOF_SUBKEY}\`, 32 bytes). Each proof works once, and at that host only.`,
    },
  },
}
