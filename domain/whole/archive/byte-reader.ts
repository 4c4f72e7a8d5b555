import { concatenated } from '../../text/encoding.ts'

/** Reads bytes that come in pieces of any size. */
export interface ByteReader {
  /** Exactly this many bytes. Throws when fewer are left. */
  take(bytes: number): Promise<Uint8Array<ArrayBuffer>>
  /** At most this many bytes, and at least one; null: none are left. */
  some(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null>
}

/** @param cutOff makes the error for bytes that end too early */
export function createByteReader(source: AsyncIterable<Uint8Array>, cutOff: () => Error): ByteReader {
  const pieces = source[Symbol.asyncIterator]()
  let waiting = new Uint8Array(0)
  const some = async (bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null> => {
    while (waiting.length === 0) {
      const next = await pieces.next()
      if (next.done === true) return null
      // The source may reuse its buffer for the next piece.
      waiting = next.value.slice()
    }
    const given = waiting.subarray(0, bytesMax)
    waiting = waiting.subarray(given.length)
    return given
  }
  return {
    some,
    async take(bytes) {
      const taken: Uint8Array[] = []
      for (let left = bytes; left > 0;) {
        const piece = await some(left)
        if (piece === null) throw cutOff()
        taken.push(piece)
        left -= piece.length
      }
      return concatenated(taken)
    },
  }
}
