import { utf8, decodeUtf8 } from '../../text/encoding.ts'
import { groupEntries, notUtf8, type BodyProblem, type Entries } from '../definition/answers/entries.ts'
import { parseHeaderValue } from '../../text/content-type.ts'

// Written here and not taken from a library: runtimes differ in what their formData() tolerates, and
// @remix-run/multipart-parser accepts a delimiter with anything after it. Bodies are small and already in memory.

/** RFC 2046, section 5.1.1: at most 70 of these characters, the last one not a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

const CR = 0x0d
const LF = 0x0a
const DASH = 0x2d

/** Reads a text-only `multipart/form-data` body (RFC 7578). A file anywhere in it makes it unsupported. */
export function parseMultipart(bytes: Uint8Array, boundary: string): Entries | BodyProblem {
  if (!BOUNDARY.test(boundary)) return malformed('The multipart boundary is missing or not a valid one.')
  const sections = split(bytes, utf8(`--${boundary}`))
  if (sections === null) return malformed('The multipart body is malformed or incomplete.')
  const pairs: (readonly [string, string])[] = []
  for (const section of sections) {
    const pair = readPart(section)
    if ('kind' in pair) return pair
    pairs.push([pair.name, pair.text])
  }
  return groupEntries(pairs)
}

function malformed(message: string): BodyProblem {
  return { kind: 'malformed', message }
}

const file: BodyProblem = { kind: 'unsupported', message: 'Files cannot be submitted here.' }
const binary: BodyProblem = { kind: 'unsupported', message: 'Binary values cannot be submitted here.' }
const badPart = malformed('A part of the multipart body is malformed.')

/** The bytes between delimiter lines; null when the first or the closing delimiter is missing or one is malformed. */
function split(bytes: Uint8Array, delimiter: Uint8Array): readonly Uint8Array[] | null {
  const sections: Uint8Array[] = []
  let start = findDelimiter(bytes, delimiter, 0)
  let contentStart: number | null = null
  while (start !== null) {
    // The line break before a delimiter belongs to the delimiter and not to the content.
    if (contentStart !== null) sections.push(bytes.subarray(contentStart, Math.max(contentStart, start - 2)))
    const afterName = start + delimiter.length
    const isClosing = bytes[afterName] === DASH && bytes[afterName + 1] === DASH
    const lineEnd = skipPadding(bytes, isClosing ? afterName + 2 : afterName)
    if (isClosing && lineEnd === bytes.length) return sections
    if (!isLineBreak(bytes, lineEnd)) return null
    if (isClosing) return sections
    contentStart = lineEnd + 2
    // For an empty part, the line break that ends this delimiter line is also the one that precedes the next delimiter.
    start = findDelimiter(bytes, delimiter, lineEnd)
  }
  return null
}

/** The next place where the delimiter occurs at the beginning of a line. */
function findDelimiter(bytes: Uint8Array, delimiter: Uint8Array, from: number): number | null {
  for (let index = bytes.indexOf(DASH, from); index !== -1; index = bytes.indexOf(DASH, index + 1)) {
    const beginsLine = index === 0 || isLineBreak(bytes, index - 2)
    if (beginsLine && delimiter.every((byte, offset) => bytes[index + offset] === byte)) return index
  }
  return null
}

function isLineBreak(bytes: Uint8Array, index: number): boolean {
  return bytes[index] === CR && bytes[index + 1] === LF
}

/** Skips the spaces and tabs that RFC 2046 allows after a delimiter. */
function skipPadding(bytes: Uint8Array, from: number): number {
  let index = from
  while (bytes[index] === 0x20 || bytes[index] === 0x09) index += 1
  return index
}

function readPart(section: Uint8Array): { readonly name: string; readonly text: string } | BodyProblem {
  const headerLength = endOfHeaders(section)
  const head = headerLength === null ? null : decodeUtf8(section.subarray(0, headerLength))
  if (headerLength === null) return badPart
  if (head === null) return notUtf8
  const headers = readHeaders(head)
  const disposition = parseHeaderValue(headers?.get('content-disposition') ?? '')
  if (headers === null || disposition?.value !== 'form-data') return badPart
  if (isFile(disposition.parameters)) return file
  const name = disposition.parameters.get('name')
  if (name === undefined) return malformed('A part of the multipart body has no name.')
  const content = section.subarray(headerLength + 4)
  const text = decodeUtf8(content)
  if (text === null) return isBinary(content) ? binary : notUtf8
  return { name: unescapeName(name), text }
}

/** The index of the blank line after the headers; null: there is none. */
function endOfHeaders(section: Uint8Array): number | null {
  for (let index = section.indexOf(CR); index !== -1; index = section.indexOf(CR, index + 1)) {
    if (isLineBreak(section, index) && isLineBreak(section, index + 2)) return index
  }
  return null
}

/** Headers by lower-cased name; null when a line is not `name: value` or a name is repeated. */
function readHeaders(head: string): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([^\r\n\0]*)$/.exec(line)
    const name = match?.[1]?.toLowerCase()
    if (name === undefined || headers.has(name)) return null
    headers.set(name, match?.[2] ?? '')
  }
  return headers
}

/** Whether a part is a file: it has a non-empty file name, in either spelling of the parameter. */
function isFile(parameters: ReadonlyMap<string, string>): boolean {
  const extended = (parameters.get('filename*') ?? '').replace(/^[^']*'[^']*'/, '')
  return (parameters.get('filename') ?? '') !== '' || extended !== ''
}

/**
 * Whether bytes that are not UTF-8 are no text in the encoding of a web page either: they have control characters that no
 * text has, or a mark of UTF-16, in which no page sends a form.
 */
function isBinary(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return hasMark || bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20))
}

/** Undoes the escapes that browsers write in names (HTML, multipart/form-data encoding algorithm). */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}
