import type { Scalar } from '../../../ports/records.ts'

/** The result of reading a filter's phone number. `needs_country`: call again with the organization's phone country. */
export type PhoneReading =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'needs_country' }

/** Matches a number in international form, which needs no country. */
const INTERNATIONAL = /^\s*[+＋]/

/**
 * Reads the phone number of a filter. The metadata of all countries' numbers is large, so the first request with a
 * number loads it.
 * @param country the country of national numbers (ISO 3166-1 alpha-2); null: not known yet
 */
export async function readPhone(text: string, country: string | null): Promise<PhoneReading> {
  if (country === null && !INTERNATIONAL.test(text)) return { kind: 'needs_country' }
  const { phoneToE164 } = await import('../../text/phone-number.ts')
  const value = phoneToE164(text, country ?? 'US')
  return value === null ? { kind: 'invalid' } : { kind: 'value', value }
}
