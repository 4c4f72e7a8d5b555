import { readLimited } from '../../domain/limits/body.ts'
import { readMessage } from '../../domain/jobs/message.ts'
import { parsedOr, membersOf, fromBase64Url } from '../../domain/text/encoding.ts'
import type { Deadline, Log } from '../../ports/platform.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import { Receiver, SignatureError } from '@upstash/qstash'

/** A message names one entry, so anything longer is not a message. */
const BODY_MAX_BYTES = 4_096
const READ_TIMEOUT_MS = 10_000

export interface ReceiveOptions {
  readonly keys: SigningKeys
  /**
   * This endpoint's public URL, as it was given to QStash. It is not taken from the request, because anyone can send
   * one.
   */
  readonly url: string
  readonly deadline: Deadline
  /** Told when a signature could not be checked, which is a fault of this service. */
  readonly log: Pick<Log, 'error'>
  /** Rejects when the entry could not be read; then QStash delivers the message again. */
  readonly deliver: (ref: OutboxRef) => Promise<unknown>
}

/** Answers a delivery by QStash. Nothing is done before the signature has been verified. */
export async function receiveFromQstash(request: Request, options: ReceiveOptions): Promise<Response> {
  if (request.method !== 'POST') return answer(405, { allow: 'POST' })
  if (request.body === null) return answer(400)
  const read = await readLimited(request.body, BODY_MAX_BYTES, options.deadline.after(READ_TIMEOUT_MS))
  if (read.kind !== 'bytes') return answer(read.kind === 'too_large' ? 413 : 400)
  const body = new TextDecoder().decode(read.bytes)
  const token = request.headers.get('upstash-signature') ?? ''
  let isSigned: boolean
  try {
    isSigned = await isSignedBy(options.keys, token, { url: options.url, body })
  } catch (cause) {
    options.log.error('qstash_signature_unchecked', {}, cause)
    return answer(500)
  }
  if (!isSigned) return answer(401)
  const ref = readMessage(parsedOr(body, null))
  // Delivering it again would not help, because the body is signed and names no entry.
  if (ref === null) return answer(200)
  try {
    await options.deliver(ref)
    return answer(200)
  } catch {
    return answer(500)
  }
}

function answer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** Clocks may differ by this much, in seconds. */
const TOLERANCE_S = 30

/**
 * QStash's documentation, "Verify Signatures": every message is signed with the current key, which the next key
 * replaces at a rotation.
 */
export interface SigningKeys {
  readonly current: string
  readonly next: string
}

/**
 * Whether `token` is QStash's signature of this body for this URL, now: a JWT by one of the keys, whose claims name the
 * issuer, the URL, a window of time and a hash of the body. QStash's own library checks them, by the system's clock.
 * Rejects when the check itself fails, which says nothing about the signature.
 * @param url this endpoint's public URL; with an empty URL, as with an empty key, every signature is invalid
 */
async function isSignedBy(
  keys: SigningKeys,
  token: string,
  { url, body }: { readonly url: string; readonly body: string },
): Promise<boolean> {
  // The library would look for an empty key in the environment.
  if (url === '' || keys.current === '' || keys.next === '') return false
  // A token of another form is refused here: on the claims of a signed one the library relies unseen, and its failure
  // over them would look like one of this service.
  if (!isAsDocumented(token)) return false
  const receiver = new Receiver({
    currentSigningKey: keys.current,
    nextSigningKey: keys.next,
    // Without this, QSTASH_DEV in the environment would replace these keys with publicly known ones.
    devMode: false,
  })
  try {
    return await receiver.verify({ signature: token, body, url, clockTolerance: TOLERANCE_S })
  } catch (error) {
    if (error instanceof SignatureError) return false
    throw error
  }
}

/**
 * Checks the form of a token, nothing of which is proven yet, and with it what the library does not check: the
 * algorithm, and that the token's validity is limited in time.
 */
function isAsDocumented(token: string): boolean {
  const [header = '', payload = ''] = token.split('.')
  const { alg } = decode(header)
  const { nbf, exp, body } = decode(payload)
  return alg === 'HS256' && typeof nbf === 'number' && typeof exp === 'number' && typeof body === 'string'
}

function decode(part: string): Readonly<Record<string, unknown>> {
  const bytes = fromBase64Url(part)
  return membersOf(bytes === null ? null : parsedOr(new TextDecoder().decode(bytes), null))
}
