import type { Organization } from '../../ports/organizations.ts'
import type { ImportContext } from '../record/field.ts'
import { phoneToE164 } from '../text/contact/phone-number.ts'

/** The settings of an organization on which reading its imports depends. */
export function importContext({
  organizationId,
  phoneCountry,
}: Pick<Organization, 'organizationId' | 'phoneCountry'>): ImportContext {
  return { organizationId, toE164: (text) => phoneToE164(text, phoneCountry) }
}
