import { Receiver } from '@upstash/qstash'
import { fromBase64Url } from '../../domain/text/encoding.ts'
import { membersOf, parseJson } from '../../domain/text/json.ts'

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
 * @param url this endpoint's public URL; with an empty URL, as with an empty key, every signature is invalid
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
    // Without this, QSTASH_DEV in the environment would replace these keys with publicly known ones.
    devMode: false,
  })
  try {
    const isGenuine = await receiver.verify({ signature: token, body, url, clockTolerance: TOLERANCE_S })
    return isGenuine && isAsDocumented(token)
  } catch {
    return false
  }
}

/** Checks what the library does not: the token's algorithm, and that its validity is limited in time. */
function isAsDocumented(token: string): boolean {
  const [header = '', payload = ''] = token.split('.')
  const { alg } = decode(header)
  const { nbf, exp } = decode(payload)
  return alg === 'HS256' && typeof nbf === 'number' && typeof exp === 'number'
}

function decode(part: string): Readonly<Record<string, unknown>> {
  const bytes = fromBase64Url(part)
  const value = bytes === null ? null : parseJson(new TextDecoder().decode(bytes))
  return membersOf(value)
}
