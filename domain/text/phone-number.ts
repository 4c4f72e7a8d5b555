import { parsePhoneNumberFromString, type CountryCode, type PhoneNumber } from 'libphonenumber-js/core'
import { withAsciiDigits, withoutFormatCharacters } from './typed-text.ts'
import { phoneMetadata } from './phone-metadata.ts'

/** The longest text worth parsing: fifteen digits with generous punctuation and a prefix. */
const PHONE_TEXT_MAX_LENGTH = 60

/**
 * The E.164 form of a phone number in national (of `country`, ISO 3166-1 alpha-2) or international form, or null
 * when it is not a valid number by libphonenumber's full metadata. Its digits may be of any script; characters that
 * nobody sees are ignored. A number with an extension is not E.164: null.
 */
export function phoneToE164(given: string, country: string): string | null {
  const number = readPhone(given, country)
  return number === null || number.ext !== undefined ? null : number.number
}

/** The same of what somebody typed to be called: an extension is no part of the number. */
export function phoneWithoutExtension(given: string, country: string): string | null {
  return readPhone(given, country)?.number ?? null
}

function readPhone(given: string, country: string): PhoneNumber | null {
  // Who types fullwidth digits types a fullwidth plus sign.
  const text = withAsciiDigits(withoutFormatCharacters(given)).replaceAll('\uff0b', '+')
  if (text.length > PHONE_TEXT_MAX_LENGTH) return null
  const options = isPhoneCountry(country) ? { defaultCountry: country } : {}
  const number = parsePhoneNumberFromString(text, { ...options, extract: false }, phoneMetadata())
  return number?.isValid() === true ? number : null
}

/** The digits of a number in E.164, with and without the country's code: without zeros, people write one of these. */
export function digitsOfPhone(e164: string): readonly string[] {
  const number = parsePhoneNumberFromString(e164, phoneMetadata())
  return number === undefined ? [] : [number.number.slice(1), number.nationalNumber]
}

/** Whether `country` is one whose numbers can be read (ISO 3166-1 alpha-2, upper case). */
export function isPhoneCountry(country: string): country is CountryCode {
  return Object.hasOwn(phoneMetadata().countries, country)
}
