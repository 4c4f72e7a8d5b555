import { concatenated, utf8 } from '../../text/encoding.ts'
import { foreignFile } from './lines.ts'
import type { ImportSource } from './transfer.ts'

// Imports read UTF-8. Spreadsheet programs write other encodings too, which a sender turns into it.

/** The encodings in which a file may be. */
export const encodings = ['utf-8', 'utf-16', 'windows-1252'] as const

export type FileEncoding = (typeof encodings)[number]

/** A file in UTF-8, and what a person should know of how it was read; or why it cannot be read. */
export type ReadableFile =
  | { readonly source: ImportSource; readonly note: string | null }
  | { readonly problem: string }

/**
 * A file in UTF-8, whatever it was in before: as it is said, else UTF-8 where it fits, else UTF-16 by its mark, else
 * Windows-1252. Reads the file once.
 * @param given how it is said; null: nobody said
 */
export async function readableFile(source: ImportSource, given: FileEncoding | null): Promise<ReadableFile> {
  const start = await startOf(source)
  const [first, second] = start
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const utf16 = first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-16le'
  if (given === 'utf-16' || (given === null && isMarked)) {
    const decoded = decodedBy(source, utf16)
    if (!(await isReadable(decoded))) return { problem: 'is not in UTF-16. Say its encoding' }
    return { source: decoded, note: given === null ? 'is read as UTF-16, by its mark' : null }
  }
  // A workbook, or UTF-16 without a mark, is refused by the import, which says what to do.
  const isForeign = foreignFile(start) !== null
  if (given === 'utf-8' || (given === null && (isForeign || (await isReadable(decodedBy(source, 'utf-8'))))))
    return { source, note: null }
  const decoded = windows1252(source)
  const example = given === null ? await exampleIn(decoded) : null
  return {
    source: decoded,
    note: example === null ? null : `is not UTF-8 and is read as Windows-1252, which gives ${example}`,
  }
}

const START_BYTES = 4

async function startOf(source: ImportSource): Promise<Uint8Array> {
  let start: Uint8Array = new Uint8Array(0)
  for await (const bytes of source.open()) {
    start = concatenated([start, bytes.subarray(0, START_BYTES)])
    if (start.length >= START_BYTES) break
  }
  return start
}

function decodedBy(source: ImportSource, label: 'utf-8' | 'utf-16le' | 'utf-16be'): ImportSource {
  return {
    async *open() {
      const decoder = new TextDecoder(label, { fatal: true })
      for await (const bytes of source.open()) yield utf8(decoder.decode(bytes, { stream: true }))
      yield utf8(decoder.decode())
    },
  }
}

async function isReadable(source: ImportSource): Promise<boolean> {
  try {
    for await (const _bytes of source.open()) continue
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** The characters of the bytes from 0x80 to 0x9f (the WHATWG Encoding Standard); all others are those of Latin-1. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/** How many bytes become a text at once. */
const PIECE_BYTES = 4_096

function windows1252(source: ImportSource): ImportSource {
  return {
    async *open() {
      for await (const bytes of source.open())
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          const latin1 = String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES))
          yield utf8(
            latin1.replaceAll(/[\u0080-\u009f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80] ?? one),
          )
        }
    },
  }
}

const WORD_MAX_LENGTH = 40

/** The first word that is not ASCII, with its line. */
async function exampleIn(source: ImportSource): Promise<string | null> {
  const decoder = new TextDecoder()
  const ends = { '\n': 0, '\r': 0 }
  let text = ''
  for await (const bytes of source.open()) {
    text += decoder.decode(bytes, { stream: true })
    const at = text.search(NOT_ASCII)
    if (at !== -1 && text.length - at > WORD_MAX_LENGTH) break
    if (at !== -1) continue
    for (const one of text) if (one === '\n' || one === '\r') ends[one] += 1
    text = LAST_WORD.exec(text)?.[0] ?? ''
  }
  const at = text.search(NOT_ASCII)
  if (at === -1) return null
  const before = text.slice(0, at)
  for (const one of before) if (one === '\n' || one === '\r') ends[one] += 1
  const word = (LAST_WORD.exec(before)?.[0] ?? '') + (FIRST_WORD.exec(text.slice(at))?.[0] ?? '')
  return `"${word.slice(0, WORD_MAX_LENGTH)}" in line ${(ends['\n'] || ends['\r']) + 1}`
}

const NOT_ASCII = /[^\0-\x7f]/
const LAST_WORD = /[\p{L}\p{N}\p{M}'’-]{0,40}$/u
const FIRST_WORD = /^.[\p{L}\p{N}\p{M}'’-]*/u
