import { fromBase64Url, toBase64Url, utf8 } from '../../domain/text/encoding.ts'

/** Clocks may differ by this much, in seconds. */
const TOLERANCE_S = 30

/** QStash's documentation, "Verify Signatures": every message is signed by the current key, the next one follows it. */
export interface SigningKeys {
  readonly current: string
  readonly next: string
}

/**
 * Whether `token` is QStash's signature of this body for this URL, now: a JWT signed with HMAC-SHA-256, whose claims
 * name the issuer, the URL, a window of time and a hash of the body. All of them are checked, always. There is no
 * development mode that could be switched on by mistake, which is why this is not left to the vendor's package.
 */
export async function isSignedBy(
  keys: SigningKeys,
  token: string,
  { url, body, nowMs }: { readonly url: string; readonly body: string; readonly nowMs: number },
): Promise<boolean> {
  if (url === '' || keys.current === '' || keys.next === '') return false
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  const mac = fromBase64Url(signature)
  if (rest.length > 0 || mac === null || jsonOf(header)?.alg !== 'HS256') return false
  const signed = utf8(`${header}.${payload}`)
  const isGenuine = (await isMac(keys.current, mac, signed)) || (await isMac(keys.next, mac, signed))
  if (!isGenuine) return false
  const claims = jsonOf(payload)
  const nowS = nowMs / 1000
  return (
    claims !== null &&
    claims.iss === 'Upstash' &&
    claims.sub === url &&
    typeof claims.nbf === 'number' &&
    claims.nbf <= nowS + TOLERANCE_S &&
    typeof claims.exp === 'number' &&
    claims.exp > nowS - TOLERANCE_S &&
    typeof claims.body === 'string' &&
    claims.body.replace(/=+$/, '') === (await hashOf(body))
  )
}

/** HMAC comparison by the platform, which takes the same time for every wrong signature. */
async function isMac(
  secret: string,
  mac: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, mac, signed)
}

async function hashOf(body: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(body))))
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | null {
  const bytes = fromBase64Url(part)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
