import { utf8Length } from '../../../domain/text/encoding.ts'
import { VALUE_MAX_BYTES } from './executor.ts'

/**
 * The maximum size of one parameter with several values, in bytes of JSON. A single larger value is sent alone; the
 * database then decides whether to accept it.
 */
export const CHUNK_BYTES_MAX = VALUE_MAX_BYTES / 2 - 100_000

/** The text of a JSON array, and how many values it contains. */
export interface JsonChunk {
  readonly text: string
  readonly count: number
}

/** Splits values, in order, into texts of JSON arrays that each fit into one parameter. */
export function jsonChunks(values: readonly unknown[]): readonly string[] {
  return countedJsonChunks(values, Infinity).map(({ text }) => text)
}

/** Like `jsonChunks`, with at most `countMax` values in each array. */
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
