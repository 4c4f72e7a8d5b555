/**
 * How texts are read that people type or paste. This module also runs in browsers, so that a page and the service read
 * the same.
 */

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
