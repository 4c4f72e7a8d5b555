import { utf8 } from '../../../domain/text/encoding.ts'

/**
 * Most bytes of JSON in one parameter (hosted databases accept 2 MB). A single larger value is sent alone; the database
 * then decides.
 */
const CHUNK_BYTES_MAX = 900_000

/** JSON array texts that hold the values in order, each within the size of one parameter. */
export function jsonChunks(values: readonly unknown[]): readonly string[] {
  const chunks: string[] = []
  let texts: string[] = []
  let bytes = 0
  for (const value of values) {
    const text = JSON.stringify(value)
    const size = utf8(text).length + 1
    if (texts.length > 0 && bytes + size > CHUNK_BYTES_MAX) {
      chunks.push(`[${texts.join()}]`)
      texts = []
      bytes = 0
    }
    texts.push(text)
    bytes += size
  }
  if (texts.length > 0) chunks.push(`[${texts.join()}]`)
  return chunks
}
