import * as v from 'valibot'
import type { Organization } from '../../ports/organizations/organization.ts'
import { described } from '../record/meaning.ts'
import { organizationMeanings } from './organization-meanings.ts'
import { AutomationHourly, Name, OrganizationId, PhoneCountry, Slug, SmsNumber } from './organization.ts'
import { PosSourceObject } from './pos-source.ts'

const flag = v.boolean('must be true or false')

/** The settings of an organization in the operator interface. Those that are left out keep their values. */
export const OrganizationSettings = v.strictObject({
  name: v.exactOptional(described(Name, 'Required for a new organization.')),
  slug: v.exactOptional(v.nullable(described(Slug, organizationMeanings.slug))),
  parentId: v.exactOptional(v.nullable(described(OrganizationId, organizationMeanings.parentId))),
  smsNumber: v.exactOptional(v.nullable(described(SmsNumber, organizationMeanings.smsNumber))),
  phoneCountry: v.exactOptional(described(PhoneCountry, 'The country of numbers that name none.')),
  posSource: v.exactOptional(v.nullable(described(PosSourceObject, organizationMeanings.posSource))),
  billingEvents: v.exactOptional(described(flag, organizationMeanings.billingEvents)),
  analytics: v.exactOptional(described(flag, organizationMeanings.analytics)),
  retentionOfferAnalytics: v.exactOptional(described(flag, organizationMeanings.retentionOfferAnalytics)),
  automationHourly: v.exactOptional(described(AutomationHourly, organizationMeanings.automationHourly)),
} satisfies Readonly<Record<Exclude<keyof Organization, 'organizationId'>, v.GenericSchema>>)
