import { createHash } from 'node:crypto'
import type { OpenDigest } from '../../../ports/whole/archive-digest.ts'

/** Digests by Node's own implementation. */
export const openNodeDigest: OpenDigest = () => {
  const hash = createHash('sha256')
  return {
    update: async (bytes) => void hash.update(bytes),
    end: async () => hash.digest('hex'),
  }
}
