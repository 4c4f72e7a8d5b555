/**
 * The address syntax of HTML's `<input type=email>`, so that a browser and the service agree on what is valid, in at most
 * 254 characters: RFC 5321, section 4.5.3.1.3, limits a path to 256 octets, angle brackets included.
 */
export const EMAIL_ADDRESS =
  /^(?=.{1,254}$)[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether `text` is one bare email address. */
export function isEmailAddress(text: string): boolean {
  return EMAIL_ADDRESS.test(text)
}

/**
 * The maximum length of a local part (RFC 5321, section 4.5.3.1.1). An address that matches `EMAIL_ADDRESS` is ASCII, so
 * characters are octets.
 */
const LOCAL_PART_MAX_LENGTH = 64
/** Matches a name without a dot at either end and without two dots in a row (RFC 5322, dot-atom). */
const DOT_ATOM = /^[^.]+(?:\.[^.]+)*$/
/**
 * Matches a domain of at least two labels. The last one is not a number, as in an IP address, and longer than one
 * letter.
 */
const PUBLIC_DOMAIN = /\.(?!\d+$)[a-zA-Z0-9-]{2,}$/

/**
 * Whether mail providers take an address. They refuse more than browsers do, such as `ada@gmail` or `a..b@example.com`.
 */
export function isProviderAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  return (
    isEmailAddress(text) &&
    local.length <= LOCAL_PART_MAX_LENGTH &&
    DOT_ATOM.test(local) &&
    PUBLIC_DOMAIN.test(text.slice(at + 1))
  )
}

/**
 * The form in which an address identifies a contact: trimmed and lower-cased. In theory local parts are case-sensitive,
 * but no provider in use distinguishes two people by case.
 */
export function emailKey(address: string): string {
  return address.trim().toLowerCase()
}
