import { described, component } from '../record/meaning.ts'
import { operationRecord, type RequestBody, type ResponseDeclaration } from '../record/operation.ts'
import {
  ALLOWED_HEADERS,
  ALLOWED_METHODS,
  EXPOSED_HEADERS,
  failureCodes,
  PREFLIGHT_MAX_AGE,
} from './result.ts'
import { acceptedTypes } from './body.ts'
import { attributionMaxLength } from './language/attribution.ts'
import type { JudgedKey } from './evaluate.ts'
import * as v from 'valibot'
import * as limits from './language/definition.ts'

const text = (maxLength: number) => v.pipe(v.string(), v.maxLength(maxLength))

const controlKeys = {
  _gotcha: described(text(limits.GOTCHA_MAX_LENGTH), 'Hidden bot trap: send it empty.'),
  _password: v.optional(described(text(limits.PASSWORD_MAX_LENGTH), 'Only for a password-protected form.')),
  _redirect: v.optional(
    described(text(limits.REDIRECT_MAX_LENGTH), 'Thank-you URL on the origin of the request.'),
  ),
} satisfies Readonly<Record<JudgedKey, v.GenericSchema>>

const answer = v.union([
  text(limits.ANSWER_MAX_LENGTH),
  v.number(),
  v.boolean(),
  v.pipe(v.array(v.string()), v.maxLength(limits.ITEMS_MAX)),
  v.null(),
])

/** The body that every form accepts. Which answers a particular form accepts depends on its definition. */
const body: RequestBody = {
  description: `At most ${limits.BODY_MAX_BYTES} bytes in all.`,
  maxBytes: limits.BODY_MAX_BYTES,
  contentTypes: acceptedTypes,
  schema: described(
    v.object(controlKeys),
    `Answers keyed by saved field id, beside the control keys. In the lengths of texts, a line break counts once, however it is sent. A number of more than 15 significant digits is refused, because it would be rounded. Attribution values (\`_utm_source\`, \`_gclid\`, \`_referrer\`, \`_landing_url\`, …) are stored trimmed to ${attributionMaxLength} characters.`,
  ),
  // The id of a field does not begin with an underscore.
  otherKeys: { pattern: '^[^_]', schema: answer },
  example: {
    _gotcha: '',
    firstName: 'Ada',
    email: 'ada@example.com',
    message: 'Do you wash vans?',
    _utm_source: 'newsletter',
  },
}

/** The JSON answer to a submission that was saved, or that filled the bot trap. */
const SubmissionReceipt = component(
  'SubmissionReceipt',
  v.pipe(
    described(
      v.strictObject({
        ok: described(v.literal(true), 'Always true.'),
        submissionId: v.optional(described(v.string(), 'Absent for a filled honeypot.')),
        title: v.optional(v.string()),
        message: v.optional(v.string()),
        redirectUrl: v.optional(v.pipe(v.string(), v.url())),
      }),
      'Confirms that the submission was persisted, not that notifications were delivered.',
    ),
    v.examples([
      {
        ok: true,
        submissionId: 'sub_2mJ8sQ4vZ1xN7bTcR5wKye',
        title: 'Thank you',
        message: 'We will be in touch.',
      },
      { ok: true, message: 'Thank you.' },
    ]),
  ),
)

/** The JSON answer to a submission that was not saved. */
const SubmissionError = component(
  'SubmissionError',
  v.pipe(
    described(
      v.strictObject({
        ok: described(v.literal(false), 'Always false.'),
        code: v.picklist(failureCodes),
        error: v.string(),
        fieldErrors: v.optional(described(v.record(v.string(), v.string()), 'Messages by saved field id.')),
      }),
      'Why a submission was not taken.',
    ),
    v.examples([
      {
        ok: false,
        code: 'validation_error',
        error: 'One value needs attention.',
        fieldErrors: { email: 'Enter a valid email address.' },
      },
    ]),
  ),
)

const cors = {
  'Access-Control-Allow-Origin': { description: 'Any origin.', schema: v.literal('*') },
  'Access-Control-Expose-Headers': {
    description: 'What a page of another origin may read.',
    schema: v.literal(EXPOSED_HEADERS),
  },
}

/** @param title what the page begins with */
function page(title: string) {
  return {
    schema: described(v.string(), 'A page for a visitor whose browser posted the form without scripts.'),
    example: `<!doctype html><html lang="en"><title>${title}</title>…</html>`,
  }
}

function failure(description: string) {
  const content = {
    'application/json': { schema: SubmissionError },
    'text/html': page('Error: Please check your answers'),
  }
  return { description, headers: cors, content } satisfies ResponseDeclaration
}

export const postSubmission = operationRecord({
  access: 'public',
  tag: 'Form submission',
  summary: 'Submit answers to a published form',
  description:
    'No key and no cookie. The receipt confirms that the submission was saved; notifications follow after it. There is no idempotency key: do not retry an uncertain request automatically.',
  headers: {
    Origin: {
      description: "The submitting site's origin; required with `_redirect`.",
      schema: v.string(),
      example: 'https://sparkle.example',
    },
  },
  body,
  responses: {
    200: {
      description: 'Saved, or a filled honeypot (without `submissionId`, nothing saved).',
      headers: cors,
      content: { 'application/json': { schema: SubmissionReceipt }, 'text/html': page('Thank you') },
    },
    303: {
      description: 'Saved; a native HTML request with a valid `_redirect` is sent there.',
      headers: {
        ...cors,
        Location: { description: 'The validated URL.', schema: v.pipe(v.string(), v.url()) },
      },
    },
    400: failure('The body is missing, malformed or not in UTF-8, or JSON that is not an object.'),
    401: failure('The form password is missing or wrong.'),
    404: failure('There is no published form of that identifier.'),
    409: failure('The form can only be completed where it is hosted.'),
    413: failure(`The body exceeds ${limits.BODY_MAX_BYTES} bytes.`),
    415: failure('The content type is not supported, or a value is a file.'),
    422: failure(
      'Invalid answers or control keys, an invalid redirect, or the limit per contact is reached.',
    ),
    500: failure('Processing failed; the submission may have been saved. Do not retry automatically.'),
  },
})

export const preflightForm = operationRecord({
  access: 'public',
  tag: 'Form submission',
  summary: 'Answer a cross-origin preflight',
  description: 'What a browser asks before a page of another origin may submit. No cookie is used.',
  responses: {
    204: {
      description: 'Any origin may post.',
      headers: {
        ...cors,
        'Access-Control-Allow-Methods': {
          description: 'Allowed methods.',
          schema: v.literal(ALLOWED_METHODS),
        },
        'Access-Control-Allow-Headers': {
          description: 'Allowed headers.',
          schema: v.literal(ALLOWED_HEADERS),
        },
        'Access-Control-Max-Age': {
          description: 'For how many seconds it need not be asked again.',
          schema: v.literal(PREFLIGHT_MAX_AGE),
        },
      },
    },
    500: failure('Internal failure.'),
  },
})
