import type { Mailbox } from '../../ports/messaging.ts'
import type { Organization } from '../../ports/organizations.ts'

/** The service's own sender domain and name. */
export interface MailIdentity {
  /** The domain of every sender address. */
  readonly domain: string
  /** The sender name of messages under the operator's own brand. */
  readonly brand: string
}

/** The header of email that no person wrote (RFC 3834, section 5), so that no program answers it by itself. */
export const AUTO_SUBMITTED = { 'Auto-Submitted': 'auto-generated' } as const

/** Local part of the operator's own sender address (contract, `POST /api/v1/email`, `from`). */
export const PLATFORM_LOCAL_PART = 'contact'

/** The country of phone numbers that name none, in messages of platform keys. */
export const PLATFORM_PHONE_COUNTRY = 'US'

/** The operator's own sender. */
export function platformMailbox({ domain, brand }: MailIdentity): Mailbox {
  return { name: brand, address: `${PLATFORM_LOCAL_PART}@${domain}` }
}

/** An organization's sender; null when it has no slug and therefore no address. */
export function tenantMailbox(
  { name, slug }: Pick<Organization, 'name' | 'slug'>,
  { domain }: MailIdentity,
): Mailbox | null {
  return slug === null ? null : { name, address: `${slug}@${domain}` }
}

/**
 * Text that needs no quotes as a display name (RFC 5322, section 3.2.3: atoms and spaces; letters of all scripts are
 * allowed).
 */
const PLAIN_NAME = /^[\p{L}\p{N}\p{M} !#$%&'*+\-/=?^_`{|}~]+$/u

/**
 * Formats `Name <address>`, with quotes where the name needs them (RFC 5322, section 3.4). Control characters are
 * removed.
 */
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

/** The maximum length of a header line of an email (RFC 5322, section 2.1.1). */
export const HEADER_MAX_LENGTH = 998
