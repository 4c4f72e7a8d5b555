import type { Mailbox, SmsOrigin } from '../../../ports/messaging.ts'
import type { Organization } from '../../../ports/organizations.ts'
import { parseMailbox } from './mailbox-text.ts'
import { platformMailbox, tenantMailbox, type MailIdentity } from './sender.ts'

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
