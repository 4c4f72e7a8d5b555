import { aessiv } from '@noble/ciphers/aes.js'
import { fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'
import type { Secrets, SecretVersion } from './secrets.ts'

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
  const cipher = await cipherOf(organizationId, secret)
  return PREFIX + toBase64Url(cipher.encrypt(utf8(processorId)))
}

/**
 * The processor's id from which a public id was made, or null when it was not made for this organization under the
 * current or the previous secret, or was changed in any character.
 */
export async function openPurchaseId(
  purchaseId: string,
  organizationId: string,
  secrets: Secrets,
): Promise<string | null> {
  if (!purchaseId.startsWith(PREFIX)) return null
  const bytes = fromBase64Url(purchaseId.slice(PREFIX.length))
  if (bytes === null) return null
  for (const secret of [secrets.current, secrets.previous]) {
    if (secret === null) continue
    const cipher = await cipherOf(organizationId, secret)
    try {
      return new TextDecoder().decode(cipher.decrypt(bytes))
    } catch {
      // Not made under this secret.
    }
  }
  return null
}

async function cipherOf(organizationId: string, secret: SecretVersion): Promise<ReturnType<typeof aessiv>> {
  return aessiv(await secret.subkey('purchase-id', KEY_BYTES), utf8(organizationId))
}
