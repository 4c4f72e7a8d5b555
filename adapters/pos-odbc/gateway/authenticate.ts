import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { READ_PATH, TIMESTAMP_WINDOW_MS, signedText } from '../protocol.ts'
import { GatewayError } from './errors.ts'

/** What a request carries to prove itself; null: the header is missing or repeated. */
export interface SignedRequest {
  readonly timestamp: string | null
  readonly nonce: string | null
  readonly signature: string | null
  readonly body: Uint8Array
}

export interface AuthenticatorOptions {
  /** Accepted secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly nowMs: () => number
  /** Most nonces kept; when that many are still within their window, requests are refused rather than forgotten. */
  readonly noncesMax: number
}

/** Throws a `GatewayError` for a request that is not proven, or has been seen before. */
export type Authenticate = (request: SignedRequest) => void

/** Checks requests to read: a signature by a shared secret, of the body and of this minute, never seen before. */
export function createAuthenticator({ secrets, nowMs, noncesMax }: AuthenticatorOptions): Authenticate {
  const startedMs = nowMs()
  const nonces = new Map<string, number>()

  /** Nonces are kept in the order of arrival, so what has run out is at the front, up to a difference of clocks. */
  const forgetOld = (now: number): void => {
    for (const [nonce, expiresMs] of nonces) {
      if (expiresMs >= now) break
      nonces.delete(nonce)
    }
  }

  return ({ timestamp, nonce, signature, body }) => {
    if (timestamp === null || nonce === null || signature === null) {
      throw new GatewayError('signature_missing', 'The request is not signed')
    }
    const now = nowMs()
    const timestampMs = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN
    if (!/^[0-9a-f]{32}$/.test(nonce) || !isSigned(secrets, { timestampMs, nonce, signature, body })) {
      throw new GatewayError('signature_wrong', 'The signature does not fit the request')
    }
    if (Math.abs(now - timestampMs) > TIMESTAMP_WINDOW_MS) {
      throw new GatewayError(
        'timestamp_outside_window',
        'The request was signed too long ago, or in the future',
      )
    }
    // Nonces from before the start are forgotten, so nothing from before the start is accepted.
    if (timestampMs < startedMs) {
      throw new GatewayError('timestamp_outside_window', 'The request was signed before the gateway started')
    }
    forgetOld(now)
    if (nonces.has(nonce)) throw new GatewayError('nonce_used', 'The request has been seen before')
    if (nonces.size >= noncesMax) throw new GatewayError('busy', 'Too many requests in a minute')
    // A timestamp from the near future stays within the window for up to two of its lengths.
    nonces.set(nonce, now + 2 * TIMESTAMP_WINDOW_MS)
  }
}

function isSigned(
  secrets: readonly string[],
  parts: {
    readonly timestampMs: number
    readonly nonce: string
    readonly signature: string
    readonly body: Uint8Array
  },
): boolean {
  const { timestampMs, nonce, signature, body } = parts
  const match = /^v1=([0-9a-f]{64})$/.exec(signature)
  if (match === null || Number.isNaN(timestampMs)) return false
  const given = Buffer.from(match[1] ?? '', 'hex')
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const text = signedText({ method: 'POST', path: READ_PATH, timestampMs, nonce, bodyHash })
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(text).digest(), given))
    .includes(true)
}
