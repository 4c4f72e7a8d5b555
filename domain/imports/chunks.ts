import { toBase64Url, utf8 } from '../text/encoding.ts'
import type { Entry } from './entry.ts'

/** Consecutive entries of a file, with a digest of what was read. */
export interface Chunk {
  readonly entries: readonly Entry[]
  /** SHA-256 of the entries, base64url: the same file gives the same digests again. */
  readonly digest: string
}

/** Most rows of a chunk, and about the most text: one statement's parameter must hold it (D1: 2 MB). */
const CHUNK_MAX_ROWS = 1_000
const CHUNK_MAX_LENGTH = 500_000

/** Cuts a file's entries into chunks that fit one statement. */
export async function* chunksOf(entries: AsyncIterable<Entry>): AsyncGenerator<Chunk> {
  let collected: Entry[] = []
  let texts: string[] = []
  let length = 0
  for await (const entry of entries) {
    const text = JSON.stringify(entry)
    if (collected.length === CHUNK_MAX_ROWS || (length > 0 && length + text.length > CHUNK_MAX_LENGTH)) {
      yield { entries: collected, digest: await digestOf(texts) }
      collected = []
      texts = []
      length = 0
    }
    collected.push(entry)
    texts.push(text)
    length += text.length
  }
  if (collected.length > 0) yield { entries: collected, digest: await digestOf(texts) }
}

async function digestOf(texts: readonly string[]): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(texts.join('\n')))))
}
