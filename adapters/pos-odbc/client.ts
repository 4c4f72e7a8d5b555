import { repeatWhileRejected, type Backoff } from '../../domain/bounds/backoff.ts'
import { utf8 } from '../../domain/text/encoding.ts'
import type { Clock, Deadline, RandomSource } from '../../ports/platform.ts'
import type { SourceFailure } from '../../ports/records.ts'
import { parseErrorCode } from './answers.ts'
import { READ_PATH, SIGNATURE_HEADERS, signedText, type GatewayRequest } from './protocol.ts'
import { parsedOr } from '../../domain/text/json.ts'

/** How to reach the gateway. */
export interface GatewayOptions {
  /** The gateway's address, without a path. */
  readonly url: string
  /** The shared secret. */
  readonly secret: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly clock: Clock
  readonly random: RandomSource
  readonly deadline: Deadline
}

/** The body of an answer, or why there is none. */
export type GatewayAnswer = { readonly kind: 'answer'; readonly body: unknown } | SourceFailure

/** The longest time for a read, the second attempt included. It exceeds the gateway's own usual deadline of 5 s. */
const DEADLINE_MS = 8_000
/** A broken connection is replaced by a new one at once. */
const BACKOFF: Backoff = { pausesMs: [0] }

/**
 * Asks the gateway. Never rejects. A request whose connection breaks is sent once more, which is safe because requests
 * only read.
 */
export async function askGateway(options: GatewayOptions, request: GatewayRequest): Promise<GatewayAnswer> {
  const signal = options.deadline.after(DEADLINE_MS)
  const body = JSON.stringify(request)
  const isPassing = () => !signal.aborted
  const wait = () => Promise.resolve()
  try {
    // Each attempt carries a nonce of its own: the gateway may have seen the one whose answer was lost.
    return await repeatWhileRejected(BACKOFF, { isPassing, wait }, async () =>
      answerOf(await send(options, body, signal)),
    )
  } catch (cause) {
    const reason = signal.aborted
      ? 'The POS gateway did not answer in time.'
      : 'The POS gateway cannot be reached.'
    return { kind: 'unavailable', reason, cause }
  }
}

async function send(options: GatewayOptions, body: string, signal: AbortSignal): Promise<Response> {
  const timestampMs = options.clock.nowMs()
  const nonce = hex(options.random.bytes(16))
  const bodyHash = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(body))))
  const text = signedText({ method: 'POST', path: READ_PATH, timestampMs, nonce, bodyHash })
  return options.fetch(`${options.url.replace(/\/+$/, '')}${READ_PATH}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.timestamp]: String(timestampMs),
      [SIGNATURE_HEADERS.nonce]: nonce,
      [SIGNATURE_HEADERS.signature]: `v1=${await hmac(options.secret, text)}`,
    },
    body,
    // The request contains personal data, so a redirect to another host is not followed.
    redirect: 'manual',
    signal,
  })
}

/** Rejects when the connection breaks while the answer is being received. */
async function answerOf(response: Response): Promise<GatewayAnswer> {
  const body = parsedOr(await response.text(), undefined)
  if (response.status === 200 && body !== undefined) return { kind: 'answer', body }
  const code = parseErrorCode(body)
  if (code !== null) return unavailable(REASONS[code] ?? `The POS gateway refused the request: ${code}.`)
  return unavailable(
    `The POS gateway answered with status ${response.status} and nothing that it could mean.`,
  )
}

/** The failures on which an operator can act. */
const REASONS: Readonly<Record<string, string>> = {
  unknown_source: 'The POS gateway has no source of this kind and name; see its configuration.',
  signature_missing: 'The POS gateway refused the signature: the two secrets differ.',
  signature_wrong: 'The POS gateway refused the signature: the two secrets differ.',
  timestamp_outside_window:
    'The POS gateway refused the time: a clock is wrong, or the gateway has just started.',
  source_unavailable: 'The POS gateway cannot read the source now; its log says more.',
  internal_error: 'The POS gateway failed; its log says more.',
  deadline_exceeded: 'The POS source did not answer the gateway in time.',
  unreadable_row: 'A row of the POS source cannot be read; the log of the gateway names it.',
  too_many_rows: 'A page of the POS source has more lines than the gateway allows.',
  busy: 'The POS gateway is busy.',
}

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign'])
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text))))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}
