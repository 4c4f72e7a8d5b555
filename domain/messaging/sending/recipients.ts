import { deliveryAddress, readEmailAddress } from '../../text/email-address.ts'
import { phoneToE164 } from '../../text/phone-number.ts'
import { INVALID_ADDRESS, INVALID_NUMBER } from './response.ts'

/**
 * One entry of `to`, read. Entries with the same key are the same recipient. `to` is what the caller is told: a number in
 * E.164, and otherwise the given text.
 */
export type Recipient =
  /** `address` is what the provider is given, and what is recorded. */
  | { readonly kind: 'reachable'; readonly key: string; readonly to: string; readonly address: string }
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
  return number === null
    ? unreachable(given, INVALID_NUMBER)
    : { kind: 'reachable', key: number, to: number, address: number }
}

/**
 * Reads an email address as forms and imports do: its domain may be international, and the email goes to its ASCII form.
 * Addresses that differ only in the spelling of the domain are the same recipient.
 */
export function addressRecipient(given: string): Recipient {
  if (readEmailAddress(given) === null) return unreachable(given, INVALID_ADDRESS)
  const address = deliveryAddress(given)
  const at = address.lastIndexOf('@')
  const key = address.slice(0, at) + address.slice(at).toLowerCase()
  return { kind: 'reachable', key, to: given, address }
}

/** An entry that cannot be reached. Its key contains a space, which real keys do not, so it equals none of them. */
function unreachable(given: string, error: string): Recipient {
  return { kind: 'unreachable', key: ` ${given}`, to: given, error }
}
