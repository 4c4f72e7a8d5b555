import { Receiver } from '@upstash/qstash'
import { fromBase64Url } from '../../domain/text/encoding.ts'

/** Clocks may differ by this much, in seconds. */
const TOLERANCE_S = 30

/** QStash's documentation, "Verify Signatures": every message is signed by the current key, the next one follows it. */
export interface SigningKeys {
  readonly current: string
  readonly next: string
}

/**
 * Whether `token` is QStash's signature of this body for this URL, now: a JWT by one of the keys, whose claims name the
 * issuer, the URL, a window of time and a hash of the body. QStash's own library checks them, by the system's clock.
 * @param url this endpoint's public URL; an empty one, like an empty key, makes every signature a bad one
 */
export async function isSignedBy(
  keys: SigningKeys,
  token: string,
  { url, body }: { readonly url: string; readonly body: string },
): Promise<boolean> {
  // The library would look for an empty key in the environment.
  if (url === '' || keys.current === '' || keys.next === '') return false
  const receiver = new Receiver({
    currentSigningKey: keys.current,
    nextSigningKey: keys.next,
    // Left out, QSTASH_DEV in the environment would put keys that everyone knows in the place of these.
    devMode: false,
  })
  try {
    const isGenuine = await receiver.verify({ signature: token, body, url, clockTolerance: TOLERANCE_S })
    return isGenuine && isAsDocumented(token)
  } catch {
    return false
  }
}

/** What the library leaves open in a token that it found good: the algorithm, and whether its time is limited at all. */
function isAsDocumented(token: string): boolean {
  const [header = '', payload = ''] = token.split('.')
  const { alg } = decode(header)
  const { nbf, exp } = decode(payload)
  return alg === 'HS256' && typeof nbf === 'number' && typeof exp === 'number'
}

function decode(part: string): Readonly<Record<string, unknown>> {
  const bytes = fromBase64Url(part)
  return bytes === null ? {} : (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>)
}
