import { parseUrl } from '../http/url.ts'
import { withoutFormatCharacters } from '../typed-text.ts'

/**
 * The address syntax of HTML's `<input type=email>`, so that a browser and the service agree on what is valid, in at most
 * 254 characters: RFC 5321, section 4.5.3.1.3, limits a path to 256 octets, angle brackets included.
 */
export const EMAIL_ADDRESS =
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

/** The spellings of an address with an ASCII domain: itself, and with an international domain in its own script. */
export function spellingsOf(address: string): readonly string[] {
  const start = address.lastIndexOf('@') + 1
  const labels = address.slice(start).split('.')
  const own = labels
    .map((label) => (label.startsWith('xn--') ? fromPunycode(label.slice(4)) : label))
    .join('.')
  const spelled = address.slice(0, start) + own
  return withAsciiDomain(spelled) === address && spelled !== address ? [address, spelled] : [address]
}

/** Decodes Punycode (RFC 3492, section 6.2, with its parameters). What is no Punycode gives some other text. */
function fromPunycode(encoded: string): string {
  const end = encoded.lastIndexOf('-')
  const output = Array.from(end > 0 ? encoded.slice(0, end) : '')
  let [position, codePoint, bias] = [0, 128, 72]
  for (let index = end + 1; index < encoded.length;) {
    const start = position
    for (let [weight, step] = [1, 36]; ; step += 36) {
      const digit = Number.parseInt(encoded.charAt(index), 36)
      // Letters come before digits.
      const value = digit < 10 ? digit + 26 : digit - 10
      index += 1
      position += value * weight
      const threshold = Math.min(Math.max(step - bias, 1), 26)
      if (!(value >= threshold)) break
      weight *= 36 - threshold
    }
    const length = output.length + 1
    bias = adapted(position - start, length, start === 0)
    codePoint += Math.floor(position / length)
    position %= length
    // Also when the position is not a number.
    if (!(codePoint <= 0x10ffff)) return encoded
    output.splice(position, 0, String.fromCodePoint(codePoint))
    position += 1
  }
  return output.join('')
}

/** The bias for the next delta (RFC 3492, section 6.1). */
function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / length)
  let bias = 0
  for (; rest > 455; bias += 36) rest = Math.floor(rest / 35)
  return bias + Math.floor((36 * rest) / (rest + 38))
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
