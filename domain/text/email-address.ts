/** RFC 5321, section 4.5.3.1.3: a path holds at most 256 octets, angle brackets included. */
const EMAIL_MAX_LENGTH = 254

/** The address syntax of HTML's `<input type=email>`, so that a browser and the service agree on what is valid. */
const HTML_EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether `text` is one bare email address. */
export function isEmailAddress(text: string): boolean {
  return text.length <= EMAIL_MAX_LENGTH && HTML_EMAIL.test(text)
}

/**
 * The form under which an address identifies a contact: trimmed and lower-cased. Local parts are case-sensitive on
 * paper only; no provider in use tells two people apart by case.
 */
export function emailKey(address: string): string {
  return address.trim().toLowerCase()
}
