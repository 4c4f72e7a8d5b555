import type * as v from 'valibot'
import { operation } from '../contract/endpoint.ts'
import type { JsonSchema } from '../contract/json-schema.ts'
import { jsonSchemaOf, requestSchemaOf } from '../contract/json-schema.ts'
import { EMAIL_MAX_BYTES, MESSAGE_MAX_BYTES } from './limits.ts'
import { EmailRequest, MessageRequest } from './request.ts'
import { NO_NUMBER, NO_SLUG, responses } from './response.ts'

const common =
  'Each recipient is processed independently, and results come in the order of `to`; one who is named twice is written to once. The provider is asked to wait no longer than the request lasts: after 60 seconds no further message is sent, and who is left is reported as failed. The error of a failed entry says so when the message may have been sent all the same. There is no idempotency key: repeat a request for those alone who failed.'

function jsonContent(schema: JsonSchema, example: unknown): Readonly<Record<string, unknown>> {
  return { 'application/json': { schema, example } }
}

function answer(description: string, schema: v.GenericSchema, example: unknown): JsonSchema {
  return { description, content: jsonContent(jsonSchemaOf(schema), example) }
}

function failure(description: string, error: string): JsonSchema {
  return { description, content: jsonContent({ $ref: '#/components/schemas/Error' }, { error }) }
}

function failures(malformed: readonly string[], description: string, error: string): JsonSchema {
  return {
    '400': answer(
      'The body is not what it must be. Nothing was sent. `details` holds `path: message`.',
      responses.malformed,
      { error: 'Invalid request format', details: malformed },
    ),
    '401': { $ref: '#/components/responses/Unauthorized' },
    '422': failure(description, error),
    '500': failure(
      'Internal failure, or the service has no provider for this. Nothing was sent.',
      'The request could not be processed. Request id: req_3kTzB0n9QmVx1aYe',
    ),
  }
}

function requestBody(maxBytes: number, schema: v.GenericSchema, example: unknown): JsonSchema {
  return {
    required: true,
    description: `At most ${maxBytes} bytes. Unknown keys are ignored.`,
    content: jsonContent(requestSchemaOf(schema), example),
  }
}

const badNumber = {
  to: '555-0100',
  success: false,
  error: 'This is not a valid phone number in E.164, ten digits or dashed ten digits.',
}

export const sendMessage = operation({
  id: 'message.send',
  method: 'POST',
  path: '/api/v1/message',
  access: 'tenant_or_platform',
  tag: 'Messaging',
  deprecated: true,
  summary: 'Send an SMS or MMS',
  description: `A tenant's messages come from its number, or from the shared short code with \`useShortcode: true\`; messages of platform keys always from the short code. Numbers without a country are read in the country of the tenant (platform keys: US). A provider of text messages does not recognise a message that is handed over again, so one whose fate is unknown is not repeated. ${common}`,
  openapi: {
    requestBody: requestBody(MESSAGE_MAX_BYTES, MessageRequest, {
      to: ['+12125550123', '2125550124'],
      body: 'Your car is ready.',
      attachments: [{ url: 'https://example.com/car.jpg' }],
    }),
    responses: {
      '200': answer('All recipients succeeded.', responses.messageSent, {
        success: true,
        results: [
          { to: '+12125550123', success: true },
          { to: '+12125550124', success: true },
        ],
      }),
      '207': answer('Some recipients failed, or all.', responses.messagePartlySent, {
        success: false,
        results: [{ to: '+12125550123', success: true }, badNumber],
      }),
      ...failures(
        ['body: is required'],
        'The tenant has no number, and `useShortcode` is not true.',
        NO_NUMBER,
      ),
    },
  },
})

export const sendEmail = operation({
  id: 'email.send',
  method: 'POST',
  path: '/api/v1/email',
  access: 'tenant_or_platform',
  tag: 'Messaging',
  deprecated: true,
  summary: 'Send an email',
  description: `A tenant's email comes from \`{slug}@{mail_domain}\`, that of platform keys from any address on the mail domain (default \`contact@{mail_domain}\`). An email whose fate is unknown is repeated under the same idempotency key, with which it is sent once. ${common}`,
  openapi: {
    requestBody: requestBody(EMAIL_MAX_BYTES, EmailRequest, {
      to: 'ada@example.com',
      subject: 'Your receipt',
      html: '<p>Thank you.</p>',
      replyTo: 'office@example.com',
      attachments: [{ filename: 'receipt.txt', content: 'VGhhbmsgeW91Lg==' }],
    }),
    responses: {
      '200': answer('All recipients succeeded.', responses.emailSent, {
        success: true,
        results: [{ to: 'ada@example.com', success: true, id: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794' }],
      }),
      '207': answer('Some recipients failed, or all.', responses.emailPartlySent, {
        success: false,
        results: [{ to: 'ada', success: false, error: 'This is not a valid email address.' }],
      }),
      ...failures(
        ['from: must be acme@mail.example.com, alone or as Name <acme@mail.example.com>'],
        'The tenant has no slug to send email from.',
        NO_SLUG,
      ),
    },
  },
})
