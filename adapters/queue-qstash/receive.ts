import { readLimited } from '../../domain/bounds/read-limited.ts'
import { readMessage } from '../../domain/jobs/message.ts'
import { parsedOr } from '../../domain/text/json.ts'
import type { Deadline, Log } from '../../ports/platform.ts'
import type { OutboxRef } from '../../ports/messaging.ts'
import { isSignedBy, type SigningKeys } from './signature.ts'

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
