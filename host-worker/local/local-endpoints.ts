import { toBase64Url, utf8 } from '../../domain/text/encoding.ts'

/** The path of the demo tenant's web site. */
export const SITE_PATH = '/demo-site'

/** Where a local service proves that it serves a state: `?challenge=…`. */
export const PROOF_PATH = '/local-state/proof'

/** The longest challenge, in characters. */
export const CHALLENGE_MAX_LENGTH = 100

/**
 * Proves to whoever can read a state that the state is here, without telling its secret: a MAC of the challenge under
 * the state's root secret.
 */
export async function proofOfState(rootSecret: string, challenge: string): Promise<string> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8(`local state ${rootSecret}`), hmac, false, ['sign'])
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(challenge))))
}
