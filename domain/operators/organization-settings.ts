import * as v from 'valibot'
import type { Organization } from '../../ports/organization.ts'
import { described } from '../record/meaning.ts'
import { Name, OrganizationId, PhoneCountry, Slug, SmsNumber } from './organization.ts'
import { PosSourceObject } from './pos-source.ts'

const flag = v.boolean('must be true or false')

/** The settings of an organization as the operator interface takes them; those that are left out stay as they are. */
export const OrganizationSettings = v.strictObject({
  name: v.exactOptional(described(Name, 'Required for a new organization.')),
  slug: v.exactOptional(
    v.nullable(described(Slug, 'Local part of its email address; null: it sends no email.')),
  ),
  parentId: v.exactOptional(
    v.nullable(described(OrganizationId, 'The organization that also reads its reviews; null: none.')),
  ),
  smsNumber: v.exactOptional(
    v.nullable(described(SmsNumber, 'Its own number, in E.164; null: it sends by the short code alone.')),
  ),
  phoneCountry: v.exactOptional(described(PhoneCountry, 'The country of numbers that name none.')),
  posSource: v.exactOptional(v.nullable(described(PosSourceObject, 'Its point of sale; null: none.'))),
  billingEvents: v.exactOptional(described(flag, 'Whether its provider reports what it bills.')),
  analytics: v.exactOptional(described(flag, 'Whether it may use the analytics endpoints.')),
  retentionOfferAnalytics: v.exactOptional(
    described(flag, 'Whether it may use the analytics of retention offers.'),
  ),
} satisfies Readonly<Record<Exclude<keyof Organization, 'organizationId'>, v.GenericSchema>>)
