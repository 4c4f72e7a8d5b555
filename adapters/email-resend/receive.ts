import { readRequestBody } from '../../domain/limits/body.ts'
import { decodeUtf8, fromBase64Url, listOf, membersOf, parsedOr } from '../../domain/text/encoding.ts'
import { isSigned } from '../../domain/webhooks/signature.ts'
import type { ReturnedEmail, SendRef } from '../../ports/messaging.ts'
import type { Clock, Deadline } from '../../ports/platform.ts'
import { TAG_PREFIX } from './index.ts'

const BODY = { maxBytes: 64 * 1_024, durationMs: 10_000 }

/** Events of Resend that say that an email which it accepted did not arrive (its documentation, "Event Types"). */
const errors: ReadonlyMap<unknown, string> = new Map([
  ['email.bounced', "The recipient's server returned it."],
  ['email.complained', 'The recipient called it spam.'],
  ['email.failed', 'The email provider could not send it.'],
  [
    'email.suppressed',
    'The email provider sends nothing to this address, because earlier email was returned or called spam.',
  ],
])

interface ReceiveOptions {
  /** The signing secret of the webhook at Resend, `whsec_` and base64. */
  readonly secret: string
  readonly clock: Clock
  readonly deadline: Deadline
  /** Takes the news; false: it should come again. Never rejects. */
  readonly returned: (email: ReturnedEmail) => Promise<boolean>
}

/**
 * Answers an event of Resend. Nothing is done before the signature has been verified. Whatever is signed and of no use is
 * taken, because it would be none when it came again.
 */
export async function receiveFromResend(
  request: Request,
  { secret, clock, deadline, returned }: ReceiveOptions,
): Promise<Response> {
  if (request.method !== 'POST') return answer(405, { allow: 'POST' })
  const read = await readRequestBody(request, BODY, deadline)
  if (read.kind !== 'bytes') return answer(read.kind === 'too_large' ? 413 : 400)
  const body = decodeUtf8(read.bytes)
  const given = (name: string) => request.headers.get(`svix-${name}`) ?? ''
  const signed = { id: given('id'), timestamp: given('timestamp'), body: body ?? '' }
  if (!(await isSigned(signed, given('signature'), secret, clock.nowMs()))) return answer(401)
  const email = returnedEmail(parsedOr(signed.body, null))
  return email === null || (await returned(email)) ? answer(204) : answer(503, { 'retry-after': '60' })
}

/** What an event says; null: nothing that matters here. */
function returnedEmail(event: unknown): ReturnedEmail | null {
  const { type, data } = membersOf(event)
  const { email_id: providerId, tags } = membersOf(data)
  const error = errors.get(type)
  if (error === undefined || typeof providerId !== 'string' || providerId === '') return null
  return { recorded: sendOfTags(tags), providerId: providerId.slice(0, 300).toWellFormed(), error }
}

const ID_MAX_LENGTH = 500

/** The send that tags name, as `tagsOf` made them, as an object or as a list of names and values; null: none. */
export function sendOfTags(tags: unknown): SendRef | null {
  const values = new Map<unknown, unknown>(
    Array.isArray(tags)
      ? tags.map(membersOf).map(({ name, value }) => [name, value])
      : Object.entries(membersOf(tags)),
  )
  const parts: string[] = []
  for (let value = values.get(`${TAG_PREFIX}1`); typeof value === 'string';) {
    parts.push(value)
    value = values.get(`${TAG_PREFIX}${parts.length + 1}`)
  }
  const bytes = fromBase64Url(parts.join(''))
  const [organizationId, sendId] = listOf(parsedOr((bytes && decodeUtf8(bytes)) ?? '', null))
  return isId(sendId) && (organizationId === null || isId(organizationId)) ? { organizationId, sendId } : null
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= ID_MAX_LENGTH && value.isWellFormed()
}

function answer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
