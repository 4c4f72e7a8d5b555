/** A decimal number as HTML's number input writes it; a leading plus sign is tolerated. */
const NUMERIC_TEXT = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i

const PHONE_DIGITS_KEPT = 10

/**
 * The finite number that the text represents, or null. Surrounding white space is ignored; hexadecimal is not accepted.
 */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim()
  if (!NUMERIC_TEXT.test(trimmed)) return null
  const number = Number(trimmed)
  // Adding 0 turns -0 into 0, because JSON does not keep -0.
  return Number.isFinite(number) ? number + 0 : null
}

/** The digits of a phone answer; when more than ten remain, the last ten (contract, request body rule 6). */
export function keptDigits(text: string): string {
  return text.replace(/\D/g, '').slice(-PHONE_DIGITS_KEPT)
}

/** Whether text counts as no answer: empty or white space only. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
