import { concatenated } from '../../text/encoding.ts'
import type { ImportSource } from './file-parts.ts'
import { LINE_FEED, LINE_MAX_BYTES, lineEndOf, linesIn } from './lines.ts'

/**
 * The texts of some lines of a file, by their numbers, so that a person sees what a problem is about. Reads the file up
 * to the last of them, and holds a piece of it in memory. A line that is too long, or no text, is left out.
 */
export async function lineTexts(
  source: ImportSource,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>()
  const last = Math.max(0, ...wanted)
  let lineEnd: number | null = null
  let number = 1
  const take = (bytes: Uint8Array, end: number): void => {
    for (const { text } of linesIn(bytes, number, end)) {
      if (text !== null && wanted.has(number)) texts.set(number, text.replace(/\r$/, ''))
      number += 1
    }
  }
  let rest: Uint8Array<ArrayBuffer> = new Uint8Array(0)
  for await (const piece of source.open()) {
    const bytes = concatenated([rest, piece])
    lineEnd ??= lineEndOf(bytes, false)
    const complete = lineEnd === null ? 0 : bytes.lastIndexOf(lineEnd) + 1
    if (lineEnd !== null) take(bytes.subarray(0, complete), lineEnd)
    rest = bytes.slice(complete)
    if (number > last || rest.length > LINE_MAX_BYTES) return texts
  }
  take(rest, lineEnd ?? LINE_FEED)
  return texts
}
