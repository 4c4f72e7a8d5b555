/** One line of a file, without its line feed; a null text is a line that cannot be read. */
export interface Line {
  /** Counts from 1. */
  readonly number: number
  readonly text: string | null
  /** Why the line cannot be read. */
  readonly problem: string | null
}

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = '\u{FEFF}'

/** Longest line in bytes: what one stored row can hold, with room for its other columns (D1: 2 MB a row). */
export const lineMaxBytes = 1_000_000

/**
 * Splits UTF-8 bytes into lines in bounded memory, whatever the size of the file. A carriage return before the line
 * feed is kept, for a quoted cell may contain it; a byte order mark at the start is dropped.
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const pending = createPendingLine()
  let number = 1
  for await (const chunk of bytes) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      pending.add(chunk.subarray(start, end))
      yield pending.take(number)
      number += 1
      start = end + 1
    }
    pending.add(chunk.subarray(start))
  }
  if (!pending.isEmpty()) yield pending.take(number)
}

/** Collects the bytes of one line, which may arrive in several chunks, and forgets those of a line that is too long. */
function createPendingLine() {
  let parts: Uint8Array[] = []
  let length = 0
  const text = (): string => {
    const joined = new Uint8Array(length)
    let offset = 0
    for (const part of parts) {
      joined.set(part, offset)
      offset += part.length
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(joined)
  }
  const read = (number: number): Line => {
    if (length > lineMaxBytes) return { number, text: null, problem: `is longer than ${lineMaxBytes} bytes` }
    try {
      const decoded = text()
      const dropped = number === 1 && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded
      return { number, text: dropped, problem: null }
    } catch {
      return { number, text: null, problem: 'is not valid UTF-8' }
    }
  }
  return {
    isEmpty: () => length === 0,
    add: (part: Uint8Array): void => {
      length += part.length
      // The source may reuse its buffer for the next chunk.
      if (length > lineMaxBytes) parts = []
      else parts.push(part.slice())
    },
    take: (number: number): Line => {
      const line = read(number)
      parts = []
      length = 0
      return line
    },
  }
}
