import type { Scalar } from '../../ports/query.ts'

/** What a phone number of a filter means. `needs_country`: ask again with the organization's phone country. */
export type PhoneReading =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'needs_country' }

/** A number in international form, which needs no country. */
const INTERNATIONAL = /^\s*[+＋]/

/**
 * Reads a filter's phone number. The rules of all countries' numbers are large, so the first request that has a number
 * loads them.
 * @param country of national numbers (ISO 3166-1 alpha-2); null: not known yet
 */
export async function readPhone(text: string, country: string | null): Promise<PhoneReading> {
  if (country === null && !INTERNATIONAL.test(text)) return { kind: 'needs_country' }
  const { phoneToE164 } = await import('../text/phone-number.ts')
  const value = phoneToE164(text, country ?? 'US')
  return value === null ? { kind: 'invalid' } : { kind: 'value', value }
}
