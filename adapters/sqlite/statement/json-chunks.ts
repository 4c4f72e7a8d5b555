import { utf8Length } from '../../../domain/text/encoding.ts'

/**
 * Most bytes of JSON in one parameter (hosted databases accept 2 MB). A single larger value is sent alone; the database
 * then decides.
 */
const CHUNK_BYTES_MAX = 900_000

/** A JSON array text, and how many values it holds. */
export interface JsonChunk {
  readonly text: string
  readonly count: number
}

/** JSON array texts that hold the values in order, each within the size of one parameter. */
export function jsonChunks(values: readonly unknown[]): readonly string[] {
  return countedJsonChunks(values, Infinity).map(({ text }) => text)
}

/** The same, with at most `countMax` values in each. */
export function countedJsonChunks(values: readonly unknown[], countMax: number): readonly JsonChunk[] {
  const chunks: JsonChunk[] = []
  let texts: string[] = []
  let bytes = 0
  const end = () => {
    if (texts.length > 0) chunks.push({ text: `[${texts.join()}]`, count: texts.length })
    texts = []
    bytes = 0
  }
  for (const value of values) {
    const text = JSON.stringify(value)
    const size = utf8Length(text) + 1
    if (texts.length === countMax || (texts.length > 0 && bytes + size > CHUNK_BYTES_MAX)) end()
    texts.push(text)
    bytes += size
  }
  end()
  return chunks
}
