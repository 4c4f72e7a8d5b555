import { parseUrl } from './http.ts'
import { withoutFormatCharacters } from './characters.ts'

/**
 * The address syntax of HTML's `<input type=email>`, so that a browser and the service agree on what is valid, in at most
 * 254 characters: RFC 5321, section 4.5.3.1.3, limits a path to 256 octets, angle brackets included.
 */
const EMAIL_ADDRESS =
  /^(?=.{1,254}$)[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether `text` is one bare email address in ASCII, as it is sent to. */
export function isEmailAddress(text: string): boolean {
  return EMAIL_ADDRESS.test(text)
}

/**
 * The one bare address that a person typed or pasted, as it was given: without white space around it and without
 * invisible characters. Its domain may be international, such as `ada@bücher.example`; its local part is ASCII. Null:
 * the text is no such address.
 */
export function readEmailAddress(text: string): string | null {
  const address = bare(text)
  return isEmailAddress(withAsciiDomain(address)) ? address : null
}

/** The form in which an address is sent to: without what `readEmailAddress` leaves out, the domain in ASCII. */
export function deliveryAddress(address: string): string {
  return withAsciiDomain(bare(address))
}

/**
 * The form in which an address identifies a contact: as it is sent to, in lower case. In theory local parts are
 * case-sensitive, but no provider in use distinguishes two people by case.
 */
export function emailKey(address: string): string {
  return deliveryAddress(address).toLowerCase()
}

function bare(text: string): string {
  return withoutFormatCharacters(text).trim()
}

/**
 * The characters of a domain. ASCII ones that structure a URL would otherwise end the domain there; the URL standard
 * itself refuses those that become such a character.
 */
const DOMAIN_CHARACTERS = /^[-.a-zA-Z0-9\u0080-\u{10ffff}]+$/u
// The non-ASCII characters alone, because the parser also reads ASCII domains such as 0x7f.1 as something else.
const INTERNATIONAL = /[^\0-\u007f]/

/**
 * A text with what follows its last `@` as an ASCII domain, when it is an international one (URL standard, domain to
 * ASCII). Any other text is returned unchanged.
 */
export function withAsciiDomain(text: string): string {
  const start = text.lastIndexOf('@') + 1
  const domain = text.slice(start)
  if (start === 0 || !INTERNATIONAL.test(domain) || !DOMAIN_CHARACTERS.test(domain)) return text
  return text.slice(0, start) + (parseUrl(`http://${domain}`)?.hostname ?? domain)
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
