import { withAsciiDigits, withoutFormatCharacters } from '../../../text/characters.ts'

/**
 * A decimal number as people type it: HTML's floating-point number, also with a plus sign, the minus sign U+2212, a
 * decimal comma, or the Arabic decimal separator U+066B.
 */
const NUMERIC_TEXT = /^([+\-\u2212]?)(\d*)(?:[.,\u066b](\d+))?(?:e([+-]?\d+))?$/i

/** The characters of such a number, as the `pattern` of an HTML control: in ASCII, so that a page may have any encoding. */
export const NUMBER_PATTERN = String.raw`[\p{Nd}\p{Cf}\s.,\u066B+\-\u2212eE]+`

/** A number with a comma that may stand between thousands: 1,500 is 1500 to some, and 1.5 to others. */
const AMBIGUOUS = /^[+\-\u2212]?[1-9]\d{0,2},\d{3}(?:e|$)/i
/** Digits in groups, between which people write different signs. */
const GROUPED = /^[+\-\u2212]?\d+(?:[\s.,'\u2019\u066b\u066c]\d+)+$/

/** The maximum number of significant digits. A double keeps any decimal number of that many. */
const DIGITS_MAX = 15
/** The least number that a double keeps with as many digits. Below, digits are lost one by one (IEEE 754, subnormal). */
const LEAST_NORMAL = 2 ** -1022

const PHONE_DIGITS_KEPT = 10

/** The finite number that a text means exactly, or why it means none, as a sentence for the person answering. */
export type NumberReading = { readonly number: number } | { readonly problem: string }

/**
 * Reads a number as it was written, as text or in JSON. White space around it and invisible characters are ignored; the
 * digits may be of any script. A number that would be rounded is none, and neither is one whose comma could be a
 * decimal comma or stand between thousands, nor hexadecimal.
 */
export function readNumber(text: string): NumberReading {
  const written = withAsciiDigits(withoutFormatCharacters(text)).trim()
  if (AMBIGUOUS.test(written)) return grouped
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMERIC_TEXT.exec(written) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (whole + fraction === '') return GROUPED.test(written) ? grouped : noNumber
  if (significantLength(digits) > DIGITS_MAX)
    return { problem: `Enter a number of at most ${DIGITS_MAX} digits.` }
  const size = Number(`${whole}.${fraction}e${exponent}`)
  if (!Number.isFinite(size) || (digits !== '' && size < LEAST_NORMAL)) return noNumber
  // A zero has no sign, because JSON does not keep -0.
  return { number: sign === '' || sign === '+' || size === 0 ? size : -size }
}

const noNumber: NumberReading = { problem: 'Enter a number.' }
const grouped: NumberReading = {
  problem: 'Enter the number without a separator of thousands, such as 1500 or 1.5.',
}

/** The length without the zeros at the end. */
function significantLength(digits: string): number {
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  return length
}

/** The number that a text means; null: none. */
export function parseNumber(text: string): number | null {
  const reading = readNumber(text)
  return 'number' in reading ? reading.number : null
}

/** The digits of a phone number, of any script, in ASCII. */
export function phoneDigits(text: string): string {
  return withAsciiDigits(text).replaceAll(/\D/g, '')
}

/** The digits of a phone answer; when more than ten remain, the last ten (contract, request body rule 6). */
export function keptDigits(text: string): string {
  return phoneDigits(text).slice(-PHONE_DIGITS_KEPT)
}

/** A date as it is kept: in ASCII digits, without invisible characters. Whether it is one is judged elsewhere. */
export function plainDate(text: string): string {
  return withAsciiDigits(withoutFormatCharacters(text))
}

/** Whether text counts as no answer: empty or white space only. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
