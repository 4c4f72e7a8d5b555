import { createHash, createHmac } from 'node:crypto'
import { parsedOr } from '../../../domain/text/encoding.ts'
import { openStandIn, type StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts'

export const RESEND_KEY = 're_test_key'
export const TWILIO_SID = 'AC00000000000000000000000000000001'
export const TWILIO_TOKEN = 'twilio-test-token'
export const QSTASH_TOKEN = 'qstash-test-token'

/** An email in the form of Resend's API. */
export interface ResendEmail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly html?: string
  readonly text?: string
  readonly reply_to?: string
  readonly attachments?: readonly unknown[]
  readonly tags?: readonly { readonly name: string; readonly value: string }[]
}

/** What names and values of tags consist of. */
const TAG = /^[A-Za-z0-9_-]{1,256}$/

/** A stand-in for Resend, after its public documentation: `POST /emails`, idempotency keys, and its errors. */
export async function openResend(): Promise<StandIn & { readonly sent: ReadonlyMap<string, ResendEmail> }> {
  const sent = new Map<string, ResendEmail>()
  const byKey = new Map<string, { readonly body: string; readonly id: string }>()
  const work = (request: StandInRequest): StandInAnswer => {
    if (request.method !== 'POST' || request.path !== '/emails') return resendError(404, 'not_found')
    const { authorization } = request.headers
    if (request.headers['user-agent'] === undefined) return { status: 403, body: 'error code: 1010' }
    if (authorization === undefined) return resendError(401, 'missing_api_key')
    if (authorization !== `Bearer ${RESEND_KEY}`) return resendError(403, 'invalid_api_key')
    const key = request.headers['idempotency-key']
    if (typeof key === 'string' && (key.length < 1 || key.length > 256))
      return resendError(400, 'invalid_idempotency_key')
    const known = byKey.get(String(key))
    if (known !== undefined) {
      return known.body === request.body
        ? { status: 200, body: { id: known.id } }
        : resendError(409, 'invalid_idempotent_request')
    }
    const email = parsedOr(request.body, null) as ResendEmail | null
    if (request.headers['content-type'] !== 'application/json' || email === null)
      return resendError(400, 'validation_error')
    const isComplete = [email.from, email.subject, email.html ?? email.text].every(
      (field) => typeof field === 'string',
    )
    if (!isComplete || email.to.length === 0) return resendError(422, 'missing_required_field')
    const isTag = ({ name, value }: NonNullable<ResendEmail['tags']>[number]) =>
      TAG.test(name) && TAG.test(value)
    if (email.tags?.every(isTag) === false) return resendError(422, 'validation_error')
    if (email.reply_to !== undefined && !isAcceptable(email.reply_to))
      return resendError(422, 'validation_error')
    const id = `email-${sent.size + 1}`
    sent.set(id, email)
    byKey.set(String(key), { body: request.body, id })
    return { status: 200, body: { id } }
  }
  return Object.assign(await openStandIn(work), { sent })
}

/** Whether the stand-in accepts a reply address. It refuses those under `.invalid`, which do not exist. */
function isAcceptable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@')
  const isLocal = local.length <= 64 && local.split('.').every((atom) => atom !== '')
  const labels = domain.split('.')
  const isDomain =
    labels.length > 1 && labels.every((label) => label !== '') && !/^\d+$/.test(labels.at(-1) ?? '')
  return more.length === 0 && isLocal && isDomain && labels.at(-1) !== 'invalid'
}

/** An error in Resend's form. */
export function resendError(statusCode: number, name: string): StandInAnswer {
  return {
    status: statusCode,
    body: { statusCode, name, message: `Something about ada@example.com: ${name}` },
  }
}

/** A stand-in for Twilio, after its public documentation: Basic auth, form encoding, `Messages.json`. */
export async function openTwilio(): Promise<StandIn & { readonly sent: readonly URLSearchParams[] }> {
  const sent: URLSearchParams[] = []
  const work = (request: StandInRequest): StandInAnswer => {
    const expected = `Basic ${Buffer.from(`${TWILIO_SID}:${TWILIO_TOKEN}`).toString('base64')}`
    if (request.headers.authorization !== expected) return twilioError(401, 20003)
    if (request.method !== 'POST' || request.path !== `/2010-04-01/Accounts/${TWILIO_SID}/Messages.json`) {
      return twilioError(404, 20404)
    }
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return twilioError(400, 21604)
    const form = new URLSearchParams(request.body)
    if (form.getAll('MediaUrl').length > 10) return twilioError(400, 21623)
    if (!form.has('To')) return twilioError(400, 21604)
    if (!/^\+\d{8,15}$/.test(form.get('To') ?? '')) return twilioError(400, 21211)
    if (form.has('From') === form.has('MessagingServiceSid')) return twilioError(400, 21603)
    if (!form.has('Body') && !form.has('MediaUrl')) return twilioError(400, 21602)
    sent.push(form)
    return { status: 201, body: { sid: latestSid({ sent }), status: 'queued' } }
  }
  return Object.assign(await openStandIn(work), { sent })
}

/** The id that the Twilio stand-in gave to its latest message. */
export function latestSid({ sent }: { readonly sent: readonly unknown[] }): string {
  return `SM${String(sent.length).padStart(32, '0')}`
}

/** An error in Twilio's form. */
export function twilioError(status: number, code: number): StandInAnswer {
  return {
    status,
    body: { code, message: `The 'To' number +12125550123: ${code}`, more_info: 'https://…', status },
  }
}

/** A message in the form of QStash's batch endpoint. */
export interface QstashMessage {
  readonly destination: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A stand-in for QStash's publishing side, after its public documentation: `POST /v2/batch`. */
export async function openQstash(): Promise<StandIn & { readonly published: readonly QstashMessage[] }> {
  const published: QstashMessage[] = []
  const work = (request: StandInRequest): StandInAnswer => {
    if (request.headers.authorization !== `Bearer ${QSTASH_TOKEN}`)
      return { status: 401, body: { error: 'unauthorized' } }
    if (request.method !== 'POST' || request.path !== '/v2/batch')
      return { status: 404, body: { error: 'not found' } }
    const messages = parsedOr(request.body, null) as readonly QstashMessage[] | null
    if (!Array.isArray(messages) || messages.length > 100)
      return { status: 400, body: { error: 'bad batch' } }
    published.push(...(messages as readonly QstashMessage[]))
    return { status: 200, body: messages.map((_, index) => ({ messageId: `msg_${index}` })) }
  }
  return Object.assign(await openStandIn(work), { published })
}

/** The parts of a QStash delivery's signature. Those that are left out have the values in QStash's documentation. */
export interface QstashSigning {
  readonly key: string
  readonly body: string
  /** The URL to which it delivers. */
  readonly url: string
  readonly nowS: number
  /** Claims to replace; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs as QStash does (its documentation, "Verify Signatures"). */
export function signAsQstash({ key, body, url, nowS, claims, header }: QstashSigning): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const usual = {
    iss: 'Upstash',
    sub: url,
    exp: nowS + 300,
    nbf: nowS,
    iat: nowS,
    jti: 'jwt_1',
    body: `${createHash('sha256').update(body).digest('base64url')}=`,
  }
  const signed = `${part(header ?? { alg: 'HS256', typ: 'JWT' })}.${part({ ...usual, ...claims })}`
  const hash = header?.alg === 'HS512' ? 'sha512' : 'sha256'
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`
}
