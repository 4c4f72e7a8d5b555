import * as v from 'valibot'
import type { Organization } from '../../ports/organizations.ts'
import { isOrganizationId, ORGANIZATION_ID_MAX_LENGTH } from '../access/api-key.ts'
import { PLATFORM_LOCAL_PART } from '../messaging/sender.ts'
import { isPhoneCountry, phoneToE164 } from '../text/phone-number.ts'

// The settings of an organization. Each message is the rest of a sentence that begins with the setting's name.

/**
 * The local part of an email address has at most 64 octets (RFC 5321). A slug may also become a DNS label, which has at
 * most 63.
 */
const SLUG_MAX_LENGTH = 63
const SLUG = /^[a-z0-9](?:-?[a-z0-9])*$/
const NAME_MAX_LENGTH = 200

/** The word that stands for no parent in text, so that no organization can have it as its id. */
export const NONE = 'none'

/** The id of an organization, chosen by the operator. */
export const OrganizationId = v.pipe(
  v.string(),
  v.check((text) => text !== NONE, `must not be ${NONE}, which stands for no organization`),
  v.check(
    isOrganizationId,
    `must be 1 to ${ORGANIZATION_ID_MAX_LENGTH} letters, digits, _ or -, and begin with a letter or digit`,
  ),
)

export const Name = v.pipe(
  v.string(),
  v.check(
    (text) => text.trim() !== '' && text.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(text),
    `must be 1 to ${NAME_MAX_LENGTH} characters, without control characters`,
  ),
)

export const Slug = v.pipe(
  v.string(),
  v.check(
    (text) => text !== PLATFORM_LOCAL_PART,
    `${PLATFORM_LOCAL_PART} would make the operator's own sender address the tenant's`,
  ),
  v.check(
    (text) => SLUG.test(text) && text.length <= SLUG_MAX_LENGTH,
    `must be at most ${SLUG_MAX_LENGTH} lower-case letters, digits and single hyphens between them`,
  ),
)

export const SmsNumber = v.pipe(
  v.string(),
  // Without a country, only the international form can be parsed. A number is accepted when it already is its own E.164
  // form.
  v.check(
    (text) => phoneToE164(text, '') === text,
    'must be a valid number in E.164 form, such as +12125550100',
  ),
)

export const PhoneCountry = v.pipe(
  v.string(),
  v.check(isPhoneCountry, 'must be an ISO 3166-1 alpha-2 code in upper case, such as US'),
)

/** A bound is checked by reading the messages that it allows, so it is not arbitrarily large. */
const HOURLY_MAX = 10_000
export const HOURLY = `must be a whole number of messages an hour from 1 to ${HOURLY_MAX}`

/** How many messages automations send within any hour. */
export const HourlyMessages = v.pipe(
  v.number(HOURLY),
  v.integer(HOURLY),
  v.minValue(1, HOURLY),
  v.maxValue(HOURLY_MAX, HOURLY),
)

/** A new organization with an id, a name and defaults. */
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
    automationHourly: 500,
  }
}

/** Why a parent is refused: it does not exist, or it is the organization itself. */
export function parentProblem(organizationId: string, parentId: string): string {
  if (parentId === organizationId) return 'An organization cannot be its own parent.'
  return `There is no organization ${parentId}, so it cannot be the parent.`
}

/** Why an organization that is closed is refused. */
export function restoringProblem(organizationId: string): string {
  return `${organizationId} is being restored from an archive or deleted. Call "org restore" again with that archive, or "org delete", to finish it.`
}
