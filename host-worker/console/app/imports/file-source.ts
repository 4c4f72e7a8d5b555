import type { ImportSource } from '../../../../domain/imports/file/file-parts.ts'
import { PART_BYTES } from '../../../../domain/imports/file/limits.ts'
import { Failure } from '../service/failure.ts'

const UNREADABLE =
  'The file can no longer be read. When it was changed meanwhile, choose it again: the browser lets a page read only what was chosen.'

/** The bytes of a part of a file. Throws a `Failure`. */
export async function bytesOf(file: File, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.slice(from, to).arrayBuffer())
  } catch {
    throw new Failure('refused', UNREADABLE)
  }
}

/** A chosen file, of which one part at a time is in memory. */
export function sourceOf(file: File, onRead: (bytes: number) => void = () => undefined): ImportSource {
  return {
    async *open() {
      for (let from = 0; from < file.size; from += PART_BYTES) {
        yield await bytesOf(file, from, from + PART_BYTES)
        onRead(Math.min(from + PART_BYTES, file.size))
      }
    },
  }
}
