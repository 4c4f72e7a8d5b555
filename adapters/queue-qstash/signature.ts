import { Receiver, SignatureError } from '@upstash/qstash'
import { fromBase64Url } from '../../domain/text/encoding.ts'
import { membersOf, parsedOr } from '../../domain/text/json.ts'

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
export async function isSignedBy(
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
