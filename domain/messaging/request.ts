import type { Deadline } from '../../ports/platform.ts'
import { readJsonBody, type JsonBodyReading } from '../limits/json.ts'
import type { EmailAttachment, Mailbox, SmsOrigin } from '../../ports/messaging.ts'
import { countedList } from '../text/schema-errors.ts'
import { described } from '../record/meaning.ts'
import type { RequestBody, RequestHeader } from '../record/operation.ts'
import { isBase64, toBase64Url, utf8 } from '../text/encoding.ts'
import { deliveryAddress, readEmailAddress, isEmailAddress } from '../text/typed-text.ts'
import { toWebUrl } from '../text/http.ts'
import { HEADER_MAX_LENGTH, platformMailbox, tenantMailbox, type MailIdentity } from './sender.ts'
import { phoneToE164 } from '../text/phone-number.ts'
import type { Organization } from '../../ports/organizations.ts'
import * as v from 'valibot'

/** What is sent, with the idempotency key of the request (null: none), or what is wrong, as `path: message`. */
type SendReading<Body> =
  | { readonly kind: 'send'; readonly body: Body; readonly key: string | null }
  | Extract<JsonBodyReading<Body>, { kind: 'malformed' }>

/**
 * Reads the header and the body of a request to send. A key of the body that is not known is ignored, unless it is a
 * misspelling of one that is, because the message would go out without what it was to carry.
 */
export async function readSend<Schema extends v.GenericSchema>(
  request: Request,
  declared: { readonly schema: Schema; readonly maxBytes: number },
  deadline: Deadline,
): Promise<SendReading<v.InferOutput<Schema>>> {
  const header = idempotencyKeyOf(request.headers)
  const reading = await readJsonBody(request, { ...declared, refusesMisspelt: true }, deadline)
  const details = [
    ...('malformed' in header ? [header.malformed] : []),
    ...(reading.kind === 'malformed' ? reading.details : []),
  ]
  if ('malformed' in header || reading.kind === 'malformed') return { kind: 'malformed', details }
  return { kind: 'send', body: reading.body, key: header.key }
}

/** Why an entry of `to` cannot be reached. */
export const INVALID_NUMBER = 'This is not a valid phone number in E.164, ten digits or dashed ten digits.'
export const INVALID_ADDRESS = 'This is not a valid email address.'

/** Which sender an email may have. */
interface EmailSenderRule {
  /** The sender when the request names none; null: there is none. */
  readonly usual: Mailbox | null
  /** Reads a sender that the request names; null: it is malformed or not allowed. */
  readonly read: (from: string) => Mailbox | null
  /** What is allowed, as the end of a sentence that begins with `from`. */
  readonly allowed: string
}

/** The rule for the contract document, where the caller is not known. It accepts every well-formed sender. */
export const anyEmailSender: EmailSenderRule = {
  usual: null,
  read: parseMailbox,
  allowed: 'must be one address, alone or as Name <address>',
}

/**
 * The rule for a caller (contract, `POST /api/v1/email`, `from`): a tenant's address is always `{slug}@{mail domain}`,
 * under a display name of its choice; the operator's any on the mail domain. Domains compare without regard to case,
 * local parts exactly.
 * @param tenant null: the operator
 * @param identity null: no email provider is configured
 */
export function emailSenderRuleOf(
  tenant: Pick<Organization, 'name' | 'slug'> | null,
  identity: MailIdentity | null,
): EmailSenderRule {
  if (identity === null) return anyEmailSender
  const usual = tenant === null ? platformMailbox(identity) : tenantMailbox(tenant, identity)
  if (usual === null) return anyEmailSender
  const isAllowed = (address: string) =>
    tenant === null ? address.endsWith(`@${identity.domain}`) : address === usual.address
  return {
    usual,
    read: (from) => {
      const given = parseMailbox(from)
      if (given === null) return null
      const address = withLowerCaseDomain(given.address)
      return isAllowed(address) ? { name: given.name, address } : null
    },
    allowed:
      tenant === null
        ? `must be an address on ${identity.domain}, alone or as Name <address>`
        : `must be ${usual.address}, alone or as Name <${usual.address}>`,
  }
}

function withLowerCaseDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return address.slice(0, at) + address.slice(at).toLowerCase()
}

/**
 * The sender of a text message: the tenant's number, or the short code that all share, which is the operator's only
 * one. Null: the tenant has no number.
 */
export function smsSenderOf(
  tenant: Pick<Organization, 'smsNumber'> | null,
  useShortcode: boolean,
): SmsOrigin | null {
  if (tenant === null || useShortcode) return { kind: 'shortcode' }
  return tenant.smsNumber === null ? null : { kind: 'number', number: tenant.smsNumber }
}

/**
 * A display name that needs no quotes: it has none of the characters that structure an address list (RFC 5322,
 * specials).
 */
const UNQUOTED_NAME = /^[^"\\()<>[\]:;@,]+$/
const QUOTED_NAME = /^"((?:[^"\\]|\\.)*)"$/su

/**
 * Reads one address with an optional display name: `Name <address>`, or the address alone. Null for anything else: two
 * addresses, a comment, a group, an encoded word, a control character or an unquoted comma. Text that mail programs may
 * interpret differently must not be sent in somebody's name.
 */
export function parseMailbox(text: string): Mailbox | null {
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return null
  const trimmed = trimSpaces(text)
  if (!trimmed.endsWith('>')) return isEmailAddress(trimmed) ? { name: null, address: trimmed } : null
  // An address contains no angle bracket, so everything before the last one is the name.
  const open = trimmed.lastIndexOf('<')
  const address = trimmed.slice(open + 1, -1)
  const name = readName(trimSpaces(trimmed.slice(0, Math.max(open, 0))))
  return open === -1 || name === null || !isEmailAddress(address) ? null : { name: name || null, address }
}

/** The display name, without its quotes; null when it is malformed. */
function readName(text: string): string | null {
  // Mail programs decode such a name even in quotes, so it could imitate another name or contain an address.
  if (text.includes('=?')) return null
  const quoted = QUOTED_NAME.exec(text)?.[1]
  if (quoted !== undefined) return trimSpaces(quoted.replaceAll(/\\(.)/gsu, '$1'))
  return text === '' || UNQUOTED_NAME.test(text) ? text : null
}

/** Removes the spaces at both ends. Other white space is part of a name, and not allowed in an address. */
function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === ' ') start += 1
  while (end > start && text[end - 1] === ' ') end -= 1
  return text.slice(start, end)
}

/**
 * The maximum size of a body of `POST /api/v1/message`, in bytes: many times what 500 numbers, ten media URLs and a
 * text take.
 */
export const MESSAGE_MAX_BYTES = 262_144

/**
 * The maximum size of a body of `POST /api/v1/email`, in bytes. Up to six emails are made from it at once, each with
 * its own copy of the attachments, in the 128 MB of a Worker. Larger attachments are given by `path`.
 */
export const EMAIL_MAX_BYTES = 3_145_728

/** The maximum number of recipients of one request. */
const RECIPIENTS_MAX = 500
/** The maximum number of attachments of one request. */
const ATTACHMENTS_MAX = 20
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

/** For how long the key of a request to send is known, in hours. */
export const KEY_KEPT_HOURS = 24

const HEADER = 'Idempotency-Key'
const KEY = /^[\x20-\x7e]{1,255}$/
const MALFORMED = `${HEADER}: must be 1 to 255 printable ASCII characters`

/** The header of both sends, for the contract document. */
export const idempotencyHeaders = {
  [HEADER]: {
    description: `Any text of your choice, new for each message: 1 to 255 printable ASCII characters. It is known for ${KEY_KEPT_HOURS} hours, for the organization (or the platform) and this endpoint. A request with the same key and the same body sends nothing again and answers the same results.`,
    schema: v.pipe(v.string(), v.regex(KEY)),
    example: 'receipts-2026-05-20',
  },
} as const satisfies Readonly<Record<string, RequestHeader>>

/** The idempotency key of a request; null: it has none. Or what is wrong with it, as `path: message`. */
function idempotencyKeyOf(
  headers: Headers,
): { readonly key: string | null } | { readonly malformed: string } {
  const key = headers.get(HEADER)
  return key === null || KEY.test(key) ? { key } : { malformed: MALFORMED }
}

/** A request with a key, as far as a repetition must be recognised. Neither the key nor the body can be read from it. */
export interface Recognisable {
  readonly requestKey: string
  readonly bodyHash: string
}

/**
 * How a request is recognised when it comes again.
 * @param endpointId keys of different endpoints are different ones
 * @param meaning the request as it was read: equal JSON means an equal request
 */
export async function recognisable(endpointId: string, key: string, meaning: unknown): Promise<Recognisable> {
  const [requestKey, bodyHash] = await Promise.all(
    [`${endpointId} ${key}`, JSON.stringify(meaning)].map(sha256),
  )
  if (requestKey === undefined || bodyHash === undefined) throw new Error('A hash is missing')
  return { requestKey, bodyHash }
}

async function sha256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))))
}

/**
 * One entry of `to`, read. Entries with the same key are the same recipient. `to` is what the caller is told: a number in
 * E.164, and otherwise the given text.
 */
export type Recipient =
  /** `address` is what the provider is given, and what is recorded. */
  | { readonly kind: 'reachable'; readonly key: string; readonly to: string; readonly address: string }
  | { readonly kind: 'unreachable'; readonly key: string; readonly to: string; readonly error: string }

/** E.164, or ten digits (contract, `POST /api/v1/message`, `to`). */
const ACCEPTED_NUMBER = /^(?:\+[1-9]\d{1,14}|\d{10})$/
/** What people write between the digits: spaces, dashes, dots, brackets, and marks that nobody sees. */
const READ_OVER = /[\p{Zs}\p{Pd}\p{Cf}.()[\]]/gu

/**
 * Reads a phone number.
 * @param country the country in which ten digits are read (ISO 3166-1 alpha-2)
 */
export function phoneRecipient(given: string, country: string): Recipient {
  const digits = given.replaceAll(READ_OVER, '')
  const number = ACCEPTED_NUMBER.test(digits) ? phoneToE164(digits, country) : null
  return number === null
    ? unreachable(given, INVALID_NUMBER)
    : { kind: 'reachable', key: number, to: number, address: number }
}

/**
 * Reads an email address as forms and imports do: its domain may be international, and the email goes to its ASCII form.
 * Addresses that differ only in the spelling of the domain are the same recipient.
 */
export function addressRecipient(given: string): Recipient {
  if (readEmailAddress(given) === null) return unreachable(given, INVALID_ADDRESS)
  const address = deliveryAddress(given)
  const at = address.lastIndexOf('@')
  const key = address.slice(0, at) + address.slice(at).toLowerCase()
  return { kind: 'reachable', key, to: given, address }
}

/** An entry that cannot be reached. Its key contains a space, which real keys do not, so it equals none of them. */
function unreachable(given: string, error: string): Recipient {
  return { kind: 'unreachable', key: ` ${given}`, to: given, error }
}
