const DECIMAL = /^(-?)(\d{0,15})(?:\.(\d{0,10}))?$/

/**
 * Whole cents of a decimal amount such as `12.3`, `-0.05` or `12.3450`, without floating point. Parts of a cent are
 * rounded half away from zero. Null for text that is no decimal amount, or of more than 15 digits of whole units.
 */
export function centsOfDecimal(text: string): number | null {
  const match = DECIMAL.exec(text.trim())
  if (match === null) return null
  const [, sign = '', whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return null
  const digits = fraction.padEnd(3, '0')
  const roundsUp = digits.charCodeAt(2) >= '5'.charCodeAt(0)
  const cents = BigInt(whole === '' ? '0' : whole) * 100n + BigInt(digits.slice(0, 2)) + (roundsUp ? 1n : 0n)
  const signed = Number(sign === '-' ? -cents : cents)
  // Integers outside this range are not exact in JSON.
  return Number.isSafeInteger(signed) ? signed + 0 : null
}

/** The decimal amount of whole cents, with this many decimals (two at least). */
export function decimalOfCents(cents: number, decimals: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2).padEnd(decimals, '0')}`
}
