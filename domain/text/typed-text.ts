/**
 * How texts are read that people type or paste, email addresses among them. This module also runs in browsers, so that a
 * page and the service read the same.
 */

import { parseUrl } from './http.ts'

/** Whether a text has ASCII characters alone, so that nothing of Unicode need be looked for in it. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/**
 * The text without characters that nobody sees (Unicode Cf): directional marks around what was pasted from an address
 * book, zero-width spaces, soft hyphens, byte order marks.
 */
export function withoutFormatCharacters(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '')
}

/** The text with every line break (CRLF, CR or LF) as LF, which is what a browser's text area contains. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/**
 * The length of a text as `maxlength` counts it in a browser: UTF-16 units, a line break once, however it was sent
 * (HTML, `textarea`: forms send CRLF, and count LF).
 */
export function characterCount(text: string): number {
  return withLineFeeds(text).length
}

/** The text with the decimal digits of any script (Unicode Nd) as ASCII. */
export function withAsciiDigits(text: string): string {
  return text.replaceAll(/(?!\d)\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)))
}

/** Every script has its ten digits in one row, beginning with zero (Unicode, section 4.6), some rows behind another. */
function valueOf(codePoint: number): number {
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1
  return before % 10
}

/** The first `length` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function cutText(text: string, length: number): string {
  const isSplit =
    length > 0 &&
    length < text.length &&
    /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(length - 1, length + 1))
  return text.slice(0, isSplit ? length - 1 : length)
}

/**
 * Whether a text can be stored unchanged, and read again. Databases store UTF-8, in which a lone surrogate has no form,
 * and some end a text at NUL.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

/**
 * Compares text by its UTF-8 bytes, as SQLite's BINARY collation does. JavaScript's own order differs: it puts a
 * character beyond U+FFFF, made of surrogates, before U+E000–U+FFFF.
 * @returns negative, zero or positive
 */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/**
 * The rank of a code unit in byte order: surrogates rank last, because the characters that they encode come after all
 * others.
 */
function rank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800
}

/** Compares texts for sorting in ascending order, with null last. */
export function nullsLast(left: string | null, right: string | null): number {
  if (left === right) return 0
  if (left === null || right === null) return left === null ? 1 : -1
  return left < right ? -1 : 1
}

/**
 * The address syntax of HTML's `<input type=email>`, so that a browser and the service agree on what is valid, in at most
 * 254 characters: RFC 5321, section 4.5.3.1.3, limits a path to 256 octets, angle brackets included.
 */
const EMAIL_ADDRESS =
  /^(?=.{1,254}$)[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether `text` is one bare email address in ASCII, as it is sent to. */
export function isEmailAddress(text: string): boolean {
  return EMAIL_ADDRESS.test(text)
}

/**
 * The one bare address that a person typed or pasted, as it was given: without white space around it and without
 * invisible characters. Its domain may be international, such as `ada@bücher.example`; its local part is ASCII. Null:
 * the text is no such address.
 */
export function readEmailAddress(text: string): string | null {
  const address = bare(text)
  return isEmailAddress(withAsciiDomain(address)) ? address : null
}

/** The form in which an address is sent to: without what `readEmailAddress` leaves out, the domain in ASCII. */
export function deliveryAddress(address: string): string {
  return withAsciiDomain(bare(address))
}

/**
 * The form in which an address identifies a contact: as it is sent to, in lower case. In theory local parts are
 * case-sensitive, but no provider in use distinguishes two people by case.
 */
export function emailKey(address: string): string {
  return deliveryAddress(address).toLowerCase()
}

function bare(text: string): string {
  return withoutFormatCharacters(text).trim()
}

/**
 * The characters of a domain. ASCII ones that structure a URL would otherwise end the domain there; the URL standard
 * itself refuses those that become such a character.
 */
const DOMAIN_CHARACTERS = /^[-.a-zA-Z0-9\u0080-\u{10ffff}]+$/u
// The non-ASCII characters alone, because the parser also reads ASCII domains such as 0x7f.1 as something else.
const INTERNATIONAL = /[^\0-\u007f]/

/**
 * A text with what follows its last `@` as an ASCII domain, when it is an international one (URL standard, domain to
 * ASCII). Any other text is returned unchanged.
 */
export function withAsciiDomain(text: string): string {
  const start = text.lastIndexOf('@') + 1
  const domain = text.slice(start)
  if (start === 0 || !INTERNATIONAL.test(domain) || !DOMAIN_CHARACTERS.test(domain)) return text
  return text.slice(0, start) + (parseUrl(`http://${domain}`)?.hostname ?? domain)
}

/**
 * The maximum length of a local part (RFC 5321, section 4.5.3.1.1). An address that matches `EMAIL_ADDRESS` is ASCII, so
 * characters are octets.
 */
const LOCAL_PART_MAX_LENGTH = 64
/** Matches a name without a dot at either end and without two dots in a row (RFC 5322, dot-atom). */
const DOT_ATOM = /^[^.]+(?:\.[^.]+)*$/
/**
 * Matches a domain of at least two labels. The last one is not a number, as in an IP address, and longer than one
 * letter.
 */
const PUBLIC_DOMAIN = /\.(?!\d+$)[a-zA-Z0-9-]{2,}$/

/**
 * Whether mail providers take an address. They refuse more than browsers do, such as `ada@gmail` or `a..b@example.com`.
 */
export function isProviderAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  return (
    isEmailAddress(text) &&
    local.length <= LOCAL_PART_MAX_LENGTH &&
    DOT_ATOM.test(local) &&
    PUBLIC_DOMAIN.test(text.slice(at + 1))
  )
}
