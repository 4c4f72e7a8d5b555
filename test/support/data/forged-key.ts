import { crc32 } from '../../../domain/access/keys.ts'
import { toBase62, utf8 } from '../../../domain/text/encoding.ts'

/** A key with the right form and checksum, which are public, so that anybody can make one. */
export function forgedKey(organizationId: string, keyId: string): string {
  const unchecked = `ck_live_${organizationId}_${keyId}${'z'.repeat(28)}`
  return unchecked + toBase62(crc32(utf8(unchecked)), 6)
}
