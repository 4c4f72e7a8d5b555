import type { Mailbox } from '../../ports/email-sender.ts'
import type { Organization } from '../../ports/organization.ts'
import type { SmsOrigin } from '../../ports/sms-sender.ts'
import type { MailIdentity, Named } from './sender.ts'
import { platformMailbox, slugMailbox } from './sender.ts'

/** The sender of an email, or which one would be allowed. */
export type EmailSenderChoice =
  | { readonly kind: 'sender'; readonly sender: Mailbox }
  | { readonly kind: 'not_allowed'; readonly problem: string }

/**
 * The sender of an email (contract, `POST /api/v1/email`, `from`): a tenant's is always `{slug}@{mail domain}` under a
 * display name of its choice, the operator's anything on the mail domain. Domains compare without regard to case,
 * local parts exactly.
 * @param tenant null: the operator
 * @param given what the request asks for; null: the default
 */
export function emailSenderOf(
  tenant: Named | null,
  given: Mailbox | null,
  identity: MailIdentity,
): EmailSenderChoice {
  const usual = tenant === null ? platformMailbox(identity) : slugMailbox(tenant, identity)
  if (given === null) return { kind: 'sender', sender: usual }
  const at = given.address.lastIndexOf('@')
  const address = `${given.address.slice(0, at)}@${given.address.slice(at + 1).toLowerCase()}`
  if (tenant !== null && address !== usual.address) return notAllowed(`the address must be ${usual.address}`)
  if (!address.endsWith(`@${identity.domain}`)) return notAllowed(`the address must be on ${identity.domain}`)
  return { kind: 'sender', sender: { name: given.name, address } }
}

function notAllowed(problem: string): EmailSenderChoice {
  return { kind: 'not_allowed', problem }
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
