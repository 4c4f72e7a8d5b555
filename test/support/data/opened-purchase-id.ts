import { aessiv } from '@noble/ciphers/aes.js'
import type { SecretVersion } from '../../../domain/access/secrets.ts'
import { fromBase64Url, utf8 } from '../../../domain/text/encoding.ts'

/**
 * The processor's id from which a purchase's public id was made. The service itself never opens one.
 * @returns null when it was not made for this organization under this secret, or was changed in any character
 */
export async function openedPurchaseId(
  purchaseId: string,
  organizationId: string,
  secret: SecretVersion,
): Promise<string | null> {
  const bytes = purchaseId.startsWith('pur_') ? fromBase64Url(purchaseId.slice(4)) : null
  if (bytes === null) return null
  const cipher = aessiv(await secret.subkey('purchase-id', 64), utf8(organizationId))
  try {
    return new TextDecoder().decode(cipher.decrypt(bytes))
  } catch {
    return null
  }
}
