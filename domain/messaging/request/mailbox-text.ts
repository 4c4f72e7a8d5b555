import type { Mailbox } from '../../../ports/messaging.ts'
import { isEmailAddress } from '../../text/email-address.ts'

/**
 * A display name that needs no quotes: it has none of the characters that structure an address list (RFC 5322,
 * specials).
 */
const UNQUOTED_NAME = /^[^"\\()<>[\]:;@,]+$/
const QUOTED_NAME = /^"((?:[^"\\]|\\.)*)"$/su

/**
 * Reads one address with an optional display name: `Name <address>`, or the address alone. Null for anything else: two
 * addresses, a comment, a group, an encoded word, a control character or an unquoted comma. Text that mail programs may
 * interpret differently must not be sent in somebody's name.
 */
export function parseMailbox(text: string): Mailbox | null {
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return null
  const trimmed = trimSpaces(text)
  if (!trimmed.endsWith('>')) return isEmailAddress(trimmed) ? { name: null, address: trimmed } : null
  // An address contains no angle bracket, so everything before the last one is the name.
  const open = trimmed.lastIndexOf('<')
  const address = trimmed.slice(open + 1, -1)
  const name = readName(trimSpaces(trimmed.slice(0, Math.max(open, 0))))
  return open === -1 || name === null || !isEmailAddress(address) ? null : { name: name || null, address }
}

/** The display name, without its quotes; null when it is malformed. */
function readName(text: string): string | null {
  // Mail programs decode such a name even in quotes, so it could imitate another name or contain an address.
  if (text.includes('=?')) return null
  const quoted = QUOTED_NAME.exec(text)?.[1]
  if (quoted !== undefined) return trimSpaces(quoted.replaceAll(/\\(.)/gsu, '$1'))
  return text === '' || UNQUOTED_NAME.test(text) ? text : null
}

/** Removes the spaces at both ends. Other white space is part of a name, and not allowed in an address. */
function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === ' ') start += 1
  while (end > start && text[end - 1] === ' ') end -= 1
  return text.slice(start, end)
}
