import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { TIMESTAMP_WINDOW_MS, signedText } from '../../protocol.ts'
import { GatewayError } from '../errors.ts'

/** What a request carries to prove itself; null: the header is missing or repeated. */
export interface SignedRequest {
  readonly method: string
  readonly path: string
  readonly timestamp: string | null
  readonly nonce: string | null
  readonly signature: string | null
  readonly body: Uint8Array
}

export interface AuthenticatorOptions {
  /** Accepted secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly nowMs: () => number
  /**
   * The maximum number of nonces that are kept. When that many are still within their window, new requests are refused,
   * because forgetting a nonce would allow a replay.
   */
  readonly noncesMax: number
}

/** The headers of a request that may have been signed by the Worker. */
const Signed = v.object({
  timestamp: v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number)),
  nonce: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  signature: v.pipe(v.string(), v.regex(/^v1=[0-9a-f]{64}$/)),
})

/** Throws a `GatewayError` for a request that is not proven, or has been seen before. */
export type Authenticate = (request: SignedRequest) => void

/** Checks requests: a signature by a shared secret, of the body and of this minute, never seen before. */
export function createAuthenticator({ secrets, nowMs, noncesMax }: AuthenticatorOptions): Authenticate {
  const startedMs = nowMs()
  const nonces = new Map<string, number>()

  /** Nonces are kept in the order of arrival, so the first ones run out first, up to a difference of clocks. */
  const forgetOld = (now: number): void => {
    for (const [nonce, expiresMs] of nonces) {
      if (expiresMs >= now) break
      nonces.delete(nonce)
    }
  }

  return ({ method, path, body, ...headers }) => {
    if (Object.values(headers).includes(null)) {
      throw new GatewayError('signature_missing', 'The request is not signed')
    }
    const now = nowMs()
    const signed = v.safeParse(Signed, headers)
    if (!signed.success || !isSigned(secrets, { method, path, ...signed.output }, body)) {
      throw new GatewayError('signature_wrong', 'The signature does not fit the request')
    }
    const { timestamp: timestampMs, nonce } = signed.output
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
  {
    timestamp: timestampMs,
    signature,
    ...parts
  }: Pick<SignedRequest, 'method' | 'path'> & v.InferOutput<typeof Signed>,
  body: Uint8Array,
): boolean {
  const given = Buffer.from(signature.slice('v1='.length), 'hex')
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const text = signedText({ ...parts, timestampMs, bodyHash })
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(text).digest(), given))
    .includes(true)
}
