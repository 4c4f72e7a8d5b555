/**
 * How texts are read that people type or paste. This module also runs in browsers, so that a page and the service read
 * the same.
 */

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
