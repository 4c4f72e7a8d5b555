import type { Mailbox } from '../../ports/email-sender.ts'
import type { Organization } from '../../ports/organization.ts'

/** The service's own part of sender addresses. */
export interface MailIdentity {
  /** The domain of every sender address. */
  readonly domain: string
  /** The sender name of messages under the operator's own brand. */
  readonly brand: string
}

/** Local part of the operator's own sender address (contract, `POST /api/v1/email`, `from`). */
export const PLATFORM_LOCAL_PART = 'contact'

/** The operator's own sender. */
export function platformMailbox({ domain, brand }: MailIdentity): Mailbox {
  return { name: brand, address: `${PLATFORM_LOCAL_PART}@${domain}` }
}

/** An organization's sender; null when it has no slug, so that it has no address. */
export function tenantMailbox(
  { name, slug }: Pick<Organization, 'name' | 'slug'>,
  { domain }: MailIdentity,
): Mailbox | null {
  return slug === null ? null : { name, address: `${slug}@${domain}` }
}

/** Text that needs no quotes as a display name (RFC 5322, section 3.2.3, atoms and spaces; other scripts as they are). */
const PLAIN_NAME = /^[\p{L}\p{N}\p{M} !#$%&'*+\-/=?^_`{|}~]+$/u

/** `Name <address>`, quoted where the name needs it (RFC 5322, section 3.4). Control characters are left out. */
export function formatMailbox({ name, address }: Mailbox): string {
  const shown =
    name
      ?.toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim() ?? ''
  if (shown === '') return address
  const quoted = PLAIN_NAME.test(shown) ? shown : `"${shown.replaceAll(/["\\]/g, '\\$&')}"`
  return `${quoted} <${address}>`
}
