/** How bytes and values are written as text: UTF-8, base64, base 62, JSON. */

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const encoder = new TextEncoder()

/** UTF-8 bytes of a string. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/**
 * How many bytes a string has in UTF-8. A lone surrogate counts as three, like the replacement character that is
 * written for it.
 */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A pair of surrogates has four bytes. Three were counted for the first one, so only one is left for the second.
    if (isPairAt(text, index)) index += 1
  }
  return bytes
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoderWithoutMark = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Decodes UTF-8, or returns null when the bytes are not UTF-8. A byte order mark is kept unless `dropMark`. */
export function decodeUtf8(bytes: Uint8Array, dropMark = false): string | null {
  try {
    return (dropMark ? decoderWithoutMark : decoder).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Encodes bytes as base64url without padding (RFC 4648, section 5). Meant for tokens and hashes of a few hundred bytes
 * at most.
 */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Decodes base64url without padding. Null when the text is not the canonical encoding of any bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null
  const bytes = bytesOfBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  return toBase64Url(bytes) === text ? bytes : null
}

/** The maximum number of bytes that are passed as arguments of one call. */
const CALL_MAX_BYTES = 8_192

/** Encodes any number of bytes as standard base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += CALL_MAX_BYTES)
    // `fromCharCodes` does not spread the bytes, because iterating over them would take five times as long.
    parts.push(fromCharCodes(bytes.subarray(start, start + CALL_MAX_BYTES)))
  return btoa(parts.join(''))
}

function fromCharCodes(codes: Uint8Array): string {
  return String(Reflect.apply(String.fromCharCode, null, codes))
}

/** Decodes base64, padded or not. Throws for other text. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}

/** Concatenates pieces of bytes. */
export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.length
  }
  return joined
}

/** A whole non-negative number in base 62, padded with zeros to `width` digits. */
export function toBase62(value: number, width: number): string {
  let digits = ''
  for (let rest = value; digits.length < width; rest = Math.floor(rest / 62))
    digits = (BASE62[rest % 62] ?? '') + digits
  return digits
}

/** `length` random base-62 characters, each equally likely: bytes of 248 and above are drawn again. */
export function randomBase62(length: number, randomBytes: (length: number) => Uint8Array): string {
  const codes: number[] = []
  while (codes.length < length) {
    for (const byte of randomBytes(length - codes.length)) {
      if (byte < 248) codes.push(BASE62.charCodeAt(byte % 62))
    }
  }
  return String.fromCharCode(...codes)
}

/** FNV-1a over the UTF-16 units of a text, as an unsigned 32-bit integer: it spreads texts evenly, and hides none. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** Whether two byte strings are equal, in time that depends on their lengths only. */
export function equalInConstantTime(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1) difference |= (left[index] ?? 0) ^ (right[index] ?? 0)
  return difference === 0
}

/**
 * Whether text is standard base64 with its padding (RFC 4648, section 4). The text is checked in parts, because one
 * pattern over a long text would exhaust the stack.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0
  return !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding))
}

/** Parses JSON, without checking the value. Throws when the text is not JSON. */
export function parseJson(text: string): unknown {
  return JSON.parse(text)
}

/** The parsed JSON, without checking the value; the fallback when the text is not JSON. */
export function parsedOr(text: string, fallback: unknown): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return fallback
    throw error
  }
}

/** A value as JSON, with the keys of each object in order: two values share it exactly when they say the same. */
export function orderedJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  )
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a JSON object; empty for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

/** The values of a list; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The keys of a record, in their order. The record may have no keys but those of its type. */
export function keysOf<Listed extends object>(record: Listed): readonly (keyof Listed & string)[] {
  // `Object.keys` returns plain strings, because in general an object may have more keys than its type says.
  return Object.keys(record) as (keyof Listed & string)[]
}
