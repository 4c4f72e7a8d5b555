import { SOURCE_NAME } from '../../adapters/pos-odbc/gateway/config.ts'
import { PLATFORM_LOCAL_PART } from '../../domain/messaging/sender.ts'
import { isOrganizationId } from '../../domain/tenancy/api-key.ts'
import { isPhoneCountry, phoneToE164 } from '../../domain/text/phone-number.ts'
import type { Organization, PosSourceTie } from '../../ports/organization.ts'
import type { Values } from './command.ts'
import { textOption } from './command.ts'
import { UsageError } from './errors.ts'

const SLUG = /^[a-z0-9](?:-?[a-z0-9])*$/

/** A slug is the local part of an address (RFC 5321: 64 octets) and may become a DNS label (63). */
const SLUG_MAX_LENGTH = 63
const NAME_MAX_LENGTH = 200
const POS_TENANT_MAX_LENGTH = 200
const CONTROL_CHARACTER = /\p{Cc}/u

/** An organization of which nothing but its id and name was said. */
export function newOrganization(organizationId: string, name: string): Organization {
  return {
    organizationId,
    name,
    slug: null,
    parentId: null,
    smsNumber: null,
    phoneCountry: 'US',
    posSource: null,
    billingEvents: true,
    analytics: false,
    retentionOfferAnalytics: false,
  }
}

/**
 * The settings after the flags given: what no flag names stays. An empty `--slug`, `--parent` or `--sms-number`
 * clears the setting. Throws a `UsageError` that names the flag.
 */
export function withFlags(base: Organization, values: Values): Organization {
  const given = <Value>(flag: string, read: (text: string) => Value, otherwise: Value): Value => {
    const text = textOption(values, flag)
    return text === undefined ? otherwise : read(text)
  }
  return {
    organizationId: base.organizationId,
    name: given('name', readName, base.name),
    slug: given('slug', optional(readSlug), base.slug),
    parentId: given('parent', optional(readOrganizationId('--parent')), base.parentId),
    smsNumber: given('sms-number', optional(readSmsNumber), base.smsNumber),
    phoneCountry: given('phone-country', readPhoneCountry, base.phoneCountry),
    posSource: given('pos-source', readPosSource, base.posSource),
    billingEvents: given('billing-events', readYesNo('--billing-events'), base.billingEvents),
    analytics: given('analytics', readYesNo('--analytics'), base.analytics),
    retentionOfferAnalytics: given(
      'retention-offer-analytics',
      readYesNo('--retention-offer-analytics'),
      base.retentionOfferAnalytics,
    ),
  }
}

/** Reads an organization's id. Throws a `UsageError` that names the flag. */
export function readOrganizationId(flag: string): (text: string) => string {
  return (text) => {
    if (isOrganizationId(text)) return text
    throw new UsageError(`${flag} must be 1 to 64 letters, digits, _ or -, and begin with a letter or digit`)
  }
}

/** Reads an organization's name. Throws a `UsageError`. */
export function readName(text: string): string {
  if (text.trim() !== '' && text.length <= NAME_MAX_LENGTH && !CONTROL_CHARACTER.test(text)) return text
  throw new UsageError(`--name must be 1 to ${NAME_MAX_LENGTH} characters, without control characters`)
}

function optional(read: (text: string) => string): (text: string) => string | null {
  return (text) => (text === '' ? null : read(text))
}

function readSlug(text: string): string {
  if (text === PLATFORM_LOCAL_PART)
    throw new UsageError(`--slug ${text} would make the operator's own sender address the tenant's`)
  if (SLUG.test(text) && text.length <= SLUG_MAX_LENGTH) return text
  throw new UsageError(
    `--slug must be at most ${SLUG_MAX_LENGTH} lower-case letters, digits and single hyphens between them`,
  )
}

function readSmsNumber(text: string): string {
  // Without a country only the international form is read, and E.164 is the one spelling that stays as it is.
  if (phoneToE164(text, '') === text) return text
  throw new UsageError('--sms-number must be a valid number in E.164 form, such as +12125550100')
}

function readPhoneCountry(text: string): string {
  if (isPhoneCountry(text)) return text
  throw new UsageError('--phone-country must be an ISO 3166-1 alpha-2 code in upper case, such as US')
}

function readPosSource(text: string): PosSourceTie | null {
  if (text === 'none') return null
  const colon = text.indexOf(':')
  const kind = text.slice(0, Math.max(colon, 0))
  const tenant = text.slice(colon + 1)
  const isTenant =
    tenant !== '' &&
    tenant === tenant.trim() &&
    tenant.length <= POS_TENANT_MAX_LENGTH &&
    !CONTROL_CHARACTER.test(tenant)
  if (kind === 'odbc_second' && isTenant && !SOURCE_NAME.test(tenant)) {
    throw new UsageError(
      '--pos-source odbc_second: takes the name of a data source: up to 64 letters, digits, - and _, the first a letter or a digit',
    )
  }
  if (isPosKind(kind) && isTenant) return { kind, tenant }
  throw new UsageError(
    `--pos-source must be none or KIND:TENANT, where KIND is one of ${posKinds.join(', ')}`,
  )
}

const posKinds = [
  'legacy_vendor',
  'odbc_shared',
  'odbc_second',
] as const satisfies readonly PosSourceTie['kind'][]

function isPosKind(text: string): text is PosSourceTie['kind'] {
  return (posKinds as readonly string[]).includes(text)
}

function readYesNo(flag: string): (text: string) => boolean {
  return (text) => {
    if (text === 'yes' || text === 'no') return text === 'yes'
    throw new UsageError(`${flag} must be yes or no`)
  }
}
