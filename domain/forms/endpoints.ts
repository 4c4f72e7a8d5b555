import { operation } from '../contract/endpoint.ts'

const attributionHint =
  'Attribution values (`_utm_source`, `_gclid`, `_referrer`, `_landing_url`, …) are stored trimmed to 450 characters.'

const controlKeys = {
  _gotcha: { type: 'string', maxLength: 10000, description: 'Hidden bot trap: send it empty.' },
  _password: { type: 'string', maxLength: 1024, description: 'Only for a password-protected form.' },
  _redirect: { type: 'string', maxLength: 2000, description: 'Thank-you URL on the origin of the request.' },
}

const answerSchema = {
  type: ['string', 'number', 'boolean', 'array', 'null'],
  maxLength: 10000,
  maxItems: 100,
  items: { type: 'string' },
}

const bodyExample = {
  _gotcha: '',
  firstName: 'Ada',
  email: 'ada@example.com',
  message: 'Do you wash vans?',
  _utm_source: 'newsletter',
}

const bodySchema = {
  type: 'object',
  description: `Answers keyed by saved field id, beside the control keys. ${attributionHint}`,
  properties: controlKeys,
  required: ['_gotcha'],
  additionalProperties: answerSchema,
}

const cors = {
  'Access-Control-Allow-Origin': { required: true, schema: { const: '*' }, description: 'Any origin.' },
}

const page = {
  schema: {
    type: 'string',
    description: 'A page for a visitor whose browser posted the form without scripts.',
  },
  example: '<!doctype html><html lang="en"><title>Thank you</title>…</html>',
}

function failure(description: string): Readonly<Record<string, unknown>> {
  return {
    description,
    headers: cors,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/SubmissionError' } },
      'text/html': page,
    },
  }
}

export const submitForm = operation({
  id: 'forms.submit',
  method: 'POST',
  path: '/api/forms/{formId}/submissions',
  access: 'public',
  tag: 'Form submission',
  errorStyle: 'submission',
  summary: 'Submit answers to a published form',
  description:
    'No key and no cookie. The receipt confirms that the submission was saved; notifications follow after it. There is no idempotency key: do not retry an uncertain request automatically.',
  openapi: {
    parameters: [
      {
        name: 'Origin',
        in: 'header',
        description: "The submitting site's origin; required with `_redirect`.",
        schema: { type: 'string' },
        example: 'https://sparkle.example',
      },
    ],
    requestBody: {
      required: true,
      description: 'At most 65536 bytes in all.',
      content: {
        'application/json': { schema: bodySchema, example: bodyExample },
        'application/x-www-form-urlencoded': { schema: bodySchema, example: bodyExample },
        'multipart/form-data': { schema: bodySchema, example: bodyExample },
      },
    },
    responses: {
      '200': {
        description: 'Saved, or a filled honeypot (without `submissionId`, nothing saved).',
        headers: cors,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/SubmissionReceipt' } },
          'text/html': page,
        },
      },
      '303': {
        description: 'Saved; a native HTML request with a valid `_redirect` is sent there.',
        headers: {
          ...cors,
          Location: {
            required: true,
            schema: { type: 'string', format: 'uri' },
            description: 'The validated URL.',
          },
        },
      },
      '400': failure('The body is missing or malformed, or JSON that is not an object.'),
      '401': failure('The form password is missing or wrong.'),
      '404': failure('There is no published form of that identifier.'),
      '409': failure('The form can only be completed where it is hosted.'),
      '413': failure('The body exceeds 65536 bytes.'),
      '415': failure('The content type is not supported, or a value is a file.'),
      '422': failure(
        'Invalid answers or control keys, an invalid redirect, or the limit per contact is reached.',
      ),
      '500': failure('Processing failed; the submission may have been saved. Do not retry automatically.'),
    },
  },
})

export const preflightForm = operation({
  id: 'forms.preflight',
  method: 'OPTIONS',
  path: '/api/forms/{formId}/submissions',
  access: 'public',
  tag: 'Form submission',
  errorStyle: 'submission',
  summary: 'Answer a cross-origin preflight',
  description: 'What a browser asks before a page of another origin may submit. No cookie is used.',
  openapi: {
    responses: {
      '204': {
        description: 'Any origin may post.',
        headers: {
          ...cors,
          'Access-Control-Allow-Methods': {
            required: true,
            schema: { const: 'POST, OPTIONS' },
            description: 'Allowed methods.',
          },
          'Access-Control-Allow-Headers': {
            required: true,
            schema: { const: 'Content-Type, Accept' },
            description: 'Allowed headers.',
          },
        },
      },
      '500': failure('Internal failure.'),
    },
  },
})
