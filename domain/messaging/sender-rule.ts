import type { Mailbox, SmsOrigin } from '../../ports/messaging.ts'
import type { Organization } from '../../ports/organizations.ts'
import { platformMailbox, tenantMailbox, type MailIdentity } from './sender.ts'
import { isEmailAddress } from '../text/typed-text.ts'

/** Which sender an email may have. */
export interface EmailSenderRule {
  /** The sender when the request names none; null: there is none. */
  readonly usual: Mailbox | null
  /** Reads a sender that the request names; null: it is malformed or not allowed. */
  readonly read: (from: string) => Mailbox | null
  /** What is allowed, as the end of a sentence that begins with `from`. */
  readonly allowed: string
}

/** The rule for the contract document, where the caller is not known. It accepts every well-formed sender. */
export const anyEmailSender: EmailSenderRule = {
  usual: null,
  read: parseMailbox,
  allowed: 'must be one address, alone or as Name <address>',
}

/**
 * The rule for a caller (contract, `POST /api/v1/email`, `from`): a tenant's address is always `{slug}@{mail domain}`,
 * under a display name of its choice; the operator's any on the mail domain. Domains compare without regard to case,
 * local parts exactly.
 * @param tenant null: the operator
 * @param identity null: no email provider is configured
 */
export function emailSenderRuleOf(
  tenant: Pick<Organization, 'name' | 'slug'> | null,
  identity: MailIdentity | null,
): EmailSenderRule {
  if (identity === null) return anyEmailSender
  const usual = tenant === null ? platformMailbox(identity) : tenantMailbox(tenant, identity)
  if (usual === null) return anyEmailSender
  const isAllowed = (address: string) =>
    tenant === null ? address.endsWith(`@${identity.domain}`) : address === usual.address
  return {
    usual,
    read: (from) => {
      const given = parseMailbox(from)
      if (given === null) return null
      const address = withLowerCaseDomain(given.address)
      return isAllowed(address) ? { name: given.name, address } : null
    },
    allowed:
      tenant === null
        ? `must be an address on ${identity.domain}, alone or as Name <address>`
        : `must be ${usual.address}, alone or as Name <${usual.address}>`,
  }
}

function withLowerCaseDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return address.slice(0, at) + address.slice(at).toLowerCase()
}

/**
 * The sender of a text message: the tenant's number, or the short code that all share, which is the operator's only
 * one. Null: the tenant has no number.
 */
export function smsSenderOf(
  tenant: Pick<Organization, 'smsNumber'> | null,
  useShortcode: boolean,
): SmsOrigin | null {
  if (tenant === null || useShortcode) return { kind: 'shortcode' }
  return tenant.smsNumber === null ? null : { kind: 'number', number: tenant.smsNumber }
}

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
