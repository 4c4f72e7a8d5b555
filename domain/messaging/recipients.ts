import { isEmailAddress } from '../text/email-address.ts'
import { phoneToE164 } from '../text/phone-number.ts'

/** One entry of `to`, read. Entries with the same key are the same recipient. */
export type Recipient =
  | { readonly kind: 'reachable'; readonly key: string; readonly to: string }
  /** `to` is the given text. */
  | { readonly kind: 'unreachable'; readonly key: string; readonly to: string; readonly error: string }

/** E.164, ten digits, or dashed ten digits (contract, `POST /api/v1/message`, `to`). */
const ACCEPTED_NUMBER = /^(?:\+[1-9]\d{1,14}|\d{10}|\d{3}-\d{3}-\d{4})$/

/** Reads a phone number. @param country in which ten digits are read (ISO 3166-1 alpha-2) */
export function readPhone(given: string, country: string): Recipient {
  const number = ACCEPTED_NUMBER.test(given) ? phoneToE164(given, country) : null
  return number === null
    ? unreachable(given, 'This is not a valid phone number in E.164, ten digits or dashed ten digits.')
    : { kind: 'reachable', key: number, to: number }
}

/** Reads an email address. Two spellings of its domain are one recipient; it is written to as it is given. */
export function readAddress(given: string): Recipient {
  if (!isEmailAddress(given)) return unreachable(given, 'This is not a valid email address.')
  const at = given.lastIndexOf('@')
  return { kind: 'reachable', key: given.slice(0, at) + given.slice(at).toLowerCase(), to: given }
}

/** A key for an entry that cannot be reached. Real keys contain no space, so none is equal to it. */
function unreachable(given: string, error: string): Recipient {
  return { kind: 'unreachable', key: ` ${given}`, to: given, error }
}
