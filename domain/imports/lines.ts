import { decodeUtf8 } from '../text/encoding.ts'

/** One line of a file, without its line feed. Its text is null when the line cannot be read. */
export interface Line {
  /** Counts from 1. */
  readonly number: number
  readonly text: string | null
  /** Why the line cannot be read. */
  readonly problem: string | null
  /** Its length in bytes, with its line feed. */
  readonly byteLength: number
  /** The index at which the next line begins, in the given bytes. */
  readonly end: number
}

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = '\u{FEFF}'

/**
 * The maximum length of a line in bytes: what one stored row can hold, with room for its other columns (D1: 2 MB a
 * row).
 */
export const LINE_MAX_BYTES = 1_000_000

/** The problem of a longer line. */
export const tooLongProblem = `is longer than ${LINE_MAX_BYTES} bytes`

/**
 * Splits bytes into lines of UTF-8. Bytes after the last line feed are a line too. A carriage return before a line feed
 * is kept, for a quoted cell may contain it; a byte order mark at the start of line 1 is dropped.
 * @param first the number of the first line
 */
export function* linesIn(bytes: Uint8Array, first: number): Generator<Line> {
  let start = 0
  for (let number = first; start < bytes.length; number += 1) {
    const feed = bytes.indexOf(LINE_FEED, start)
    const feedAt = feed === -1 ? bytes.length : feed
    const end = Math.min(feedAt + 1, bytes.length)
    yield { number, ...readLine(bytes.subarray(start, feedAt), number), byteLength: end - start, end }
    start = feedAt + 1
  }
}

function readLine(bytes: Uint8Array, number: number): Pick<Line, 'text' | 'problem'> {
  if (bytes.length > LINE_MAX_BYTES) return { text: null, problem: tooLongProblem }
  const text = decodeUtf8(bytes)
  if (text === null) return { text: null, problem: 'is not valid UTF-8' }
  return { text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, problem: null }
}
