import { utf8 } from './encoding.ts'

/** Most bytes of JSON in one parameter: D1 takes 2 MB, and a value that is larger alone still gets its chance. */
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
