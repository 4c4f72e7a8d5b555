import { isEmailAddress } from '../../text/contact/email-address.ts'
import { phoneToE164 } from '../../text/contact/phone-number.ts'
import { INVALID_ADDRESS, INVALID_NUMBER } from './response.ts'

/** One entry of `to`, read. Entries with the same key are the same recipient. */
export type Recipient =
  | { readonly kind: 'reachable'; readonly key: string; readonly to: string }
  /** `to` is the given text. */
  | { readonly kind: 'unreachable'; readonly key: string; readonly to: string; readonly error: string }

/** E.164, or ten digits (contract, `POST /api/v1/message`, `to`). */
const ACCEPTED_NUMBER = /^(?:\+[1-9]\d{1,14}|\d{10})$/
/** What people write between the digits: spaces, dashes, dots, brackets, and marks that nobody sees. */
const READ_OVER = /[\p{Zs}\p{Pd}\p{Cf}.()[\]]/gu

/**
 * Reads a phone number.
 * @param country the country in which ten digits are read (ISO 3166-1 alpha-2)
 */
export function phoneRecipient(given: string, country: string): Recipient {
  const digits = given.replaceAll(READ_OVER, '')
  const number = ACCEPTED_NUMBER.test(digits) ? phoneToE164(digits, country) : null
  return number === null ? unreachable(given, INVALID_NUMBER) : { kind: 'reachable', key: number, to: number }
}

/**
 * Reads an email address. Addresses that differ only in the spelling of the domain are the same recipient; the email
 * goes to the address as it was given.
 */
export function addressRecipient(given: string): Recipient {
  if (!isEmailAddress(given)) return unreachable(given, INVALID_ADDRESS)
  const at = given.lastIndexOf('@')
  return { kind: 'reachable', key: given.slice(0, at) + given.slice(at).toLowerCase(), to: given }
}

/** An entry that cannot be reached. Its key contains a space, which real keys do not, so it equals none of them. */
function unreachable(given: string, error: string): Recipient {
  return { kind: 'unreachable', key: ` ${given}`, to: given, error }
}
