import type { Deadline } from '../../ports/platform.ts'
import { readRequestBody } from '../limits/body.ts'
import { acceptedType, parseHeaderValue, type HeaderValue } from '../text/http.ts'
import {
  groupEntries,
  InexactNumber,
  parseNumber,
  type Entries,
  type SubmittedBody,
} from './language/answers.ts'
import { refused, type Refused } from './result.ts'
import { BODY_MAX_BYTES } from './language/definition.ts'
import { decodeUtf8, utf8, isJsonObject, parseJson, parsedOr } from '../text/encoding.ts'

/** The content types in which answers may be sent. */
export const acceptedTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const

/** These types in a sentence, with "or" before the last. */
const anyAcceptedType = acceptedTypes.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/**
 * The longest time that a sender may take: enough for a full body at 30 kbit/s, but an end to one that sends only a
 * trickle.
 */
const BODY_DEADLINE_MS = 20_000

/** A request with its parsed `Content-Type` header; null: the header is malformed. */
export interface Posted {
  readonly request: Request
  readonly contentType: HeaderValue | null
}

export type BodyReading = { readonly kind: 'body'; readonly body: SubmittedBody } | Refused

/**
 * Reads the body of a submission, once, and checks it in this order: size (413), content type (415), syntax (400). The
 * type is checked only after the size, so a body that is too large is always refused for its size.
 */
export async function readBody({ request, contentType }: Posted, deadline: Deadline): Promise<BodyReading> {
  const bounds = { maxBytes: BODY_MAX_BYTES, durationMs: BODY_DEADLINE_MS }
  const read = await readRequestBody(request, bounds, deadline)
  if (read.kind === 'too_large')
    return refused('body_too_large', `The request body exceeds ${BODY_MAX_BYTES} bytes.`)
  const type = acceptedType(contentType, request.headers, acceptedTypes)
  if (type === null) {
    return refused('unsupported_media_type', `Send ${anyAcceptedType} in UTF-8, uncompressed.`)
  }
  if (read.kind === 'incomplete')
    return refused('invalid_body', 'The request body did not arrive completely.')
  if (read.bytes.length === 0) return refused('invalid_body', 'The request has no body.')
  const entries = parseEntries(read.bytes, type)
  if ('kind' in entries) return entries
  return { kind: 'body', body: { format: type.value === 'application/json' ? 'json' : 'form', entries } }
}

function parseEntries(bytes: Uint8Array, { value, parameters }: HeaderValue): Entries | Refused {
  if (value === 'application/json') return parseMembers(bytes)
  if (value === 'multipart/form-data') return parseMultipart(bytes, parameters.get('boundary') ?? '')
  return parseUrlencoded(bytes)
}

/** A body that is not UTF-8. Whoever filled in the form can do nothing about it: the page that sent it must be mended. */
const notUtf8: Refused = {
  ...refused(
    'invalid_body',
    'This was sent in another encoding than UTF-8. A page that is not in UTF-8 needs accept-charset="utf-8" on its form.',
  ),
  isOfPage: true,
}

/**
 * Reads an `application/json` body: the members of an object. Of a repeated key the last one counts; `__proto__` is an
 * ordinary key.
 */
function parseMembers(bytes: Uint8Array): Entries | Refused {
  const text = decodeUtf8(bytes, true)
  if (text === null) return notUtf8
  const value = parsedOr(text, null)
  if (!isJsonObject(value)) return refused('invalid_body', 'The request body is not a JSON object.')
  // Numbers of fewer digits are as they were written, so that most bodies are not read twice.
  if (!MAYBE_INEXACT.test(text)) return groupEntries(Object.entries(value))
  const written = numbersAsWritten(text)
  return groupEntries(
    Object.entries(value).map(([key, member]) => {
      const number = typeof member === 'number' ? (written.get(key) ?? '') : null
      return [key, number === null || parseNumber(number) !== null ? member : new InexactNumber(number)]
    }),
  )
}

/** Matches numbers with an exponent or more than 15 digits, of which a double may lose some; in strings too, harmlessly. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE]/

/** The tokens of JSON: strings, signs, and everything else. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/**
 * The numbers among an object's members as they were written; `text` is valid JSON. Not by a reviver, which newer runtimes
 * give the source of a value: it calls itself for each level, and a body may have thousands.
 */
function numbersAsWritten(text: string): ReadonlyMap<string, string> {
  const written = new Map<string, string>()
  let depth = 0
  let key = ''
  let before = ''
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':' && depth === 1) key = before
    else if (before === ':' && depth === 1 && NUMBER_BEGINS.test(token)) {
      written.set(String(parseJson(key)), token)
    }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    before = token
  }
  return written
}

const NUMBER_BEGINS = /^[-\d]/

/**
 * Reads an `application/x-www-form-urlencoded` body as the URL standard does, with one difference: bytes that are not
 * UTF-8 are refused, where the standard would silently replace them, so that the stored text would differ from the text
 * that was sent.
 */
function parseUrlencoded(bytes: Uint8Array): Entries | Refused {
  const text = decodeUtf8(bytes)
  if (text === null) return notUtf8
  const pairs: (readonly [string, string])[] = []
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const separator = pair.indexOf('=')
    const name = decodeComponent(separator === -1 ? pair : pair.slice(0, separator))
    const value = decodeComponent(separator === -1 ? '' : pair.slice(separator + 1))
    if (name === null || value === null) return notUtf8
    pairs.push([name, value])
  }
  return groupEntries(pairs)
}

/** Undoes `+` and `%hh`; a `%` without two hexadecimal digits is kept. Null: not UTF-8. */
function decodeComponent(text: string): string | null {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  const bytes = utf8(spaced)
  let length = 0
  for (let index = 0; index < bytes.length; index += 1, length += 1) {
    const escaped = bytes[index] === PERCENT ? hexByte(bytes[index + 1], bytes[index + 2]) : null
    bytes[length] = escaped ?? bytes[index] ?? 0
    if (escaped !== null) index += 2
  }
  return decodeUtf8(bytes.subarray(0, length))
}

const PERCENT = 0x25

function hexByte(high: number | undefined, low: number | undefined): number | null {
  if (high === undefined || low === undefined) return null
  const digits = String.fromCharCode(high, low)
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : null
}

// Written here and not taken from a library: runtimes differ in what their formData() tolerates, and
// @remix-run/multipart-parser accepts a delimiter with anything after it. Bodies are small and already in memory.

/** RFC 2046, section 5.1.1: at most 70 of these characters, the last one not a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

const CR = 0x0d
const LF = 0x0a
const DASH = 0x2d

/** Reads a text-only `multipart/form-data` body (RFC 7578). A file anywhere in it makes it unsupported. */
export function parseMultipart(bytes: Uint8Array, boundary: string): Entries | Refused {
  if (!BOUNDARY.test(boundary))
    return refused('invalid_body', 'The multipart boundary is missing or not a valid one.')
  const sections = split(bytes, utf8(`--${boundary}`))
  if (sections === null) return refused('invalid_body', 'The multipart body is malformed or incomplete.')
  const pairs: (readonly [string, string])[] = []
  for (const section of sections) {
    const pair = readPart(section)
    if ('kind' in pair) return pair
    pairs.push([pair.name, pair.text])
  }
  return groupEntries(pairs)
}

const file = refused('unsupported_media_type', 'Files cannot be submitted here.')
const binary = refused('unsupported_media_type', 'Binary values cannot be submitted here.')
const badPart = refused('invalid_body', 'A part of the multipart body is malformed.')

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

function readPart(section: Uint8Array): { readonly name: string; readonly text: string } | Refused {
  const headerLength = endOfHeaders(section)
  const head = headerLength === null ? null : decodeUtf8(section.subarray(0, headerLength))
  if (headerLength === null) return badPart
  if (head === null) return notUtf8
  const headers = readHeaders(head)
  const disposition = parseHeaderValue(headers?.get('content-disposition') ?? '')
  if (headers === null || disposition?.value !== 'form-data') return badPart
  if (isFile(disposition.parameters)) return file
  const name = disposition.parameters.get('name')
  if (name === undefined) return refused('invalid_body', 'A part of the multipart body has no name.')
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
export function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}
