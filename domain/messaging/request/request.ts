import * as v from 'valibot'
import type { EmailAttachment } from '../../../ports/messaging.ts'
import { countedList } from '../../bounds/counted-list.ts'
import { described } from '../../record/operation/meaning.ts'
import type { RequestBody } from '../../record/operation/operation.ts'
import { isBase64 } from '../../text/encoding.ts'
import { deliveryAddress, readEmailAddress } from '../../text/email-address.ts'
import { toWebUrl } from '../../text/http.ts'
import { EMAIL_MAX_BYTES, HEADER_MAX_LENGTH, MESSAGE_MAX_BYTES } from './limits.ts'
import { anyEmailSender, type EmailSenderRule } from './sender-rule.ts'

/** The maximum number of recipients of one request. */
export const RECIPIENTS_MAX = 500
/** The maximum number of attachments of one request. */
export const ATTACHMENTS_MAX = 20
const FILENAME_MAX_LENGTH = 255

const TOO_MANY_RECIPIENTS = `must be at most ${RECIPIENTS_MAX} recipients`
const TOO_MANY_ATTACHMENTS = `must be at most ${ATTACHMENTS_MAX} attachments`

const CONTROLS = 'must not contain control characters'

const string = v.string('must be a string')
const text = v.pipe(string, v.nonEmpty('must not be empty'))
/** A text without control characters (Unicode Cc), in a pattern that means the same with and without the `u` flag. */
const oneLine = v.regex(/^[^\x00-\x1f\x7f-\x9f]*$/, CONTROLS)

/**
 * The schema of `to`. An empty entry in a list fails by itself; an empty `to` names nobody and is refused as a whole.
 */
const recipients = (what: string, examples: (string | string[])[]) =>
  v.pipe(
    described(
      v.union(
        [
          text,
          countedList(
            v.pipe(
              v.array(v.string('must be a string')),
              v.minLength(1, 'must not be empty'),
              v.maxLength(RECIPIENTS_MAX, TOO_MANY_RECIPIENTS),
              v.check((to) => to.length !== 1 || to[0] !== '', 'must not be empty'),
            ),
            RECIPIENTS_MAX,
            TOO_MANY_RECIPIENTS,
          ),
        ],
        'must be a string or an array of strings',
      ),
      what,
    ),
    v.examples(examples),
  )

/** Transforms a text into its meaning, or reports a problem when it has none. */
function readAs<Meaning>(read: (text: string) => Meaning | null, problem: string) {
  return v.rawTransform<string, Meaning>(({ dataset, addIssue, NEVER }) => {
    const meaning = read(dataset.value)
    if (meaning !== null) return meaning
    addIssue({ message: problem })
    return NEVER
  })
}

const webUrl = described(
  v.pipe(string, readAs(toWebUrl, 'must be an absolute http or https URL without user name or password')),
  'An absolute http or https URL without user name or password; the provider fetches it.',
)

const attachmentsOf = <Item extends v.GenericSchema>(item: Item) =>
  countedList(v.array(item, 'must be an array'), ATTACHMENTS_MAX, TOO_MANY_ATTACHMENTS)
const objectOf = <Entries extends v.ObjectEntries>(entries: Entries) => v.object(entries, 'must be an object')

/** The body of `POST /api/v1/message`. */
export const MessageRequest = objectOf({
  to: recipients(
    `Phone numbers in E.164, ten digits or dashed ten digits; spaces, dots, dashes and brackets are read over. At most ${RECIPIENTS_MAX} when it is an array.`,
    ['212-555-0123', ['+12125550123', '2125550124', '(212) 555-0125']],
  ),
  body: described(text, 'Message text.'),
  attachments: v.optional(
    described(attachmentsOf(objectOf({ url: webUrl })), 'Media; any makes the message an MMS.'),
  ),
  useShortcode: v.optional(
    described(
      v.boolean('must be true or false'),
      'Tenant keys: send through the shared short code. Ignored for platform keys.',
    ),
  ),
})

function jsonBody<Schema extends v.GenericSchema>(
  maxBytes: number,
  schema: Schema,
  example: v.InferInput<Schema>,
) {
  const description = `At most ${maxBytes} bytes. Unknown keys are ignored, but one within two letters of a known key (within one, of a key of up to three letters) is refused as a misspelling.`
  return { description, maxBytes, contentTypes: ['application/json'], schema, example } satisfies RequestBody
}

export const messageBody = jsonBody(MESSAGE_MAX_BYTES, MessageRequest, {
  to: ['+12125550123', '2125550124'],
  body: 'Your car is ready.',
  attachments: [{ url: 'https://example.com/car.jpg' }],
})

const AttachmentGiven = objectOf({
  filename: v.pipe(
    text,
    v.maxLength(FILENAME_MAX_LENGTH, 'is too long'),
    v.regex(/^[^/\\\x00-\x1f\x7f-\x9f]*$/, ({ input }) =>
      /\p{Cc}/u.test(input) ? CONTROLS : 'must be a file name without / and \\',
    ),
  ),
  path: v.optional(webUrl),
  content: v.optional(
    described(v.pipe(string, v.check(isBase64, 'must be padded base64')), 'Base64 with its padding.'),
  ),
})

const attachment = v.pipe(
  AttachmentGiven,
  v.rawTransform<v.InferOutput<typeof AttachmentGiven>, EmailAttachment>(({ dataset, addIssue, NEVER }) => {
    const { path, content } = dataset.value
    const filename = dataset.value.filename.toWellFormed()
    if (path !== undefined && content === undefined) return { filename, path }
    if (content !== undefined && path === undefined) return { filename, content }
    addIssue({ message: 'must have either path or content' })
    return NEVER
  }),
)
const EmailAttachmentBody = described(attachment, 'Either `path` or `content`, not both.')

/** One bare address in the form in which it is sent to; null: the text is none, or would begin another header. */
function replyAddress(text: string): string | null {
  return /\p{Cc}/u.test(text) || readEmailAddress(text) === null ? null : deliveryAddress(text)
}

const emailParts = {
  to: recipients(
    `Email addresses, which may have international domains. At most ${RECIPIENTS_MAX} when it is an array.`,
    ['ada@example.com', ['ada@example.com', 'bob@example.com']],
  ),
  subject: v.pipe(text, v.maxLength(HEADER_MAX_LENGTH, 'is too long'), oneLine),
  html: described(text, 'HTML body.'),
  text: v.optional(described(string, 'The plain part beside the HTML.')),
  replyTo: v.optional(
    described(
      v.pipe(string, readAs(replyAddress, 'must be one bare email address')),
      'One bare address. Its domain may be international.',
    ),
  ),
  attachments: v.optional(attachmentsOf(EmailAttachmentBody)),
} as const

/** The body of `POST /api/v1/email` of a caller with this rule about senders. */
export const emailRequest = ({ read, allowed }: EmailSenderRule) =>
  objectOf({
    ...emailParts,
    from: v.optional(
      described(
        v.pipe(
          text,
          v.maxLength(HEADER_MAX_LENGTH, 'is too long'),
          v.examples(['Acme Sales <acme@mail.example.com>']),
          readAs(read, allowed),
        ),
        'One address with an optional display name. Tenant keys: exactly `{slug}@{mail_domain}`, by default under the name of the tenant. Platform keys: any address on the mail domain.',
      ),
    ),
  })

/** The published body of an email, with every sender allowed. */
export const emailBody = jsonBody(EMAIL_MAX_BYTES, emailRequest(anyEmailSender), {
  to: 'ada@example.com',
  subject: 'Your receipt',
  html: '<p>Thank you.</p>',
  replyTo: 'office@example.com',
  attachments: [{ filename: 'receipt.txt', content: 'VGhhbmsgeW91Lg==' }],
})
