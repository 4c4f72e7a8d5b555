import { concatenated, utf8, decodeUtf8 } from '../../text/encoding.ts'
import type { ImportSource } from './transfer.ts'
import type { ImportIssue } from '../../record/resource.ts'

// Imports read UTF-8. Spreadsheet programs write other encodings too, which a sender turns into it.

/** The encodings in which a file may be. */
export const encodings = ['utf-8', 'utf-16', 'windows-1252'] as const

export type FileEncoding = (typeof encodings)[number]

/** A file in UTF-8, and what a person should know of how it was read; or why it cannot be read. */
type ReadableFile =
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

/** One line of a file, without its end. Its text is null when the line cannot be read. */
export interface Line {
  /** Counts from 1. */
  readonly number: number
  readonly text: string | null
  /** Why the line cannot be read. */
  readonly problem: string | null
  /** Its length in bytes, with its end. */
  readonly byteLength: number
  /** The index at which the next line begins, in the given bytes. */
  readonly end: number
}

/** The character that ends lines: a line feed, or a carriage return alone, as old programs write it. */
export const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const BYTE_ORDER_MARK = '\u{FEFF}'

/**
 * The maximum length of a line in bytes: what one stored row can hold, with room for its other columns (D1: 2 MB a
 * row).
 */
export const LINE_MAX_BYTES = 1_000_000

/** The problem of a line that is in another encoding, as its whole file probably is. */
export const NOT_UTF8 = 'is not in UTF-8. Save the file as UTF-8 (in Excel: "CSV UTF-8")'

/** The problem of a longer line. */
export const tooLongProblem = `is longer than ${LINE_MAX_BYTES} bytes, which is more than a row can hold`

/**
 * Splits bytes into lines of UTF-8. Bytes after the last end of a line are a line too. A carriage return before a line
 * feed is kept, for a quoted cell may contain it; a byte order mark at the start of line 1 is dropped.
 * @param first the number of the first line
 * @param lineEnd the character that ends lines
 */
export function* linesIn(bytes: Uint8Array, first: number, lineEnd: number): Generator<Line> {
  let start = 0
  for (let number = first; start < bytes.length; number += 1) {
    const next = bytes.indexOf(lineEnd, start)
    const endAt = next === -1 ? bytes.length : next
    const end = Math.min(endAt + 1, bytes.length)
    yield { number, ...readLine(bytes.subarray(start, endAt), number), byteLength: end - start, end }
    start = endAt + 1
  }
}

function readLine(bytes: Uint8Array, number: number): Pick<Line, 'text' | 'problem'> {
  if (bytes.length > LINE_MAX_BYTES) return { text: null, problem: tooLongProblem }
  const text = decodeUtf8(bytes)
  if (text === null) return { text: null, problem: NOT_UTF8 }
  return { text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, problem: null }
}

/**
 * The character that ends the lines of a CSV file: the first end of a line outside of quotes decides. Null: these bytes
 * from its start do not tell yet.
 * @param isWhole whether these are all bytes of the file
 */
export function lineEndOf(bytes: Uint8Array, isWhole: boolean): number | null {
  let isQuoted = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (byte === QUOTE) isQuoted = !isQuoted
    if (isQuoted) continue
    if (byte === LINE_FEED) return LINE_FEED
    if (byte !== CARRIAGE_RETURN) continue
    const next = bytes[index + 1]
    if (next === undefined && !isWhole) return null
    return next === LINE_FEED || next === undefined ? LINE_FEED : CARRIAGE_RETURN
  }
  // A quote that is never closed must not keep the rest of the file waiting.
  return isWhole || bytes.includes(LINE_FEED) ? LINE_FEED : null
}

/** Why a file that begins with these bytes is no text that could be read; null: it may be. */
export function foreignFile(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes
  const isUtf16 =
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first !== 0 && second === 0 && third !== 0 && fourth === 0) ||
    (first === 0 && second !== 0 && third === 0 && fourth !== 0)
  if (isUtf16) return 'begins a file in UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8")'
  if (first === 0x50 && second === 0x4b && third === 3 && fourth === 4)
    return 'begins a workbook or another archive, and no text. Save the sheet as CSV (in Excel: "CSV UTF-8")'
  return null
}

/** A line that cannot be read as a record. `line` counts from 1. */
export interface UnreadableEntry {
  readonly line: number
  readonly issue: ImportIssue
}

/** One record of an import file, or what makes it unreadable. */
export type Entry =
  | { readonly line: number; readonly record: Readonly<Record<string, unknown>> }
  | UnreadableEntry

/** The name that a problem has in place of a field when it concerns the line as a whole. */
const WHOLE_LINE = '(line)'

/** An unreadable line. */
export function unreadable(line: number, message: string): UnreadableEntry {
  return { line, issue: { field: WHOLE_LINE, message } }
}

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
