import { aessiv } from '@noble/ciphers/aes.js'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import type { SecretVersion } from './secrets.ts'

const PREFIX = 'pur_'
/** AES-SIV with AES-256 takes two keys in one (RFC 5297, section 2.2). */
const KEY_BYTES = 64

/**
 * The public id of a purchase: `pur_` and, in base64url, the processor's id under AES-SIV (RFC 5297) with the
 * organization as associated data. Deterministic, so that the same purchase has the same id, and authenticated, so that
 * nobody can invent a valid id.
 * @param processorId the id reveals its length
 */
export async function createPurchaseId(
  organizationId: string,
  processorId: string,
  secret: SecretVersion,
): Promise<string> {
  const cipher = aessiv(await secret.subkey('purchase-id', KEY_BYTES), utf8(organizationId))
  return PREFIX + toBase64Url(cipher.encrypt(utf8(processorId)))
}
