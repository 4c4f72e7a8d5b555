import type { Organization } from '../../../ports/organizations/organization.ts'
import { formLines } from './forms.ts'

export { demoPassword } from './forms.ts'

/** The organization that a fresh local service serves. */
export const demoOrganization: Organization = {
  organizationId: 'demo',
  name: 'Sparkle Car Wash',
  slug: 'sparkle',
  parentId: null,
  smsNumber: '+12125550100',
  phoneCountry: 'US',
  posSource: null,
  billingEvents: true,
  analytics: true,
  retentionOfferAnalytics: true,
  automationHourly: 500,
}

/** Ids of the demo's forms; the first one is plain and open to anyone. */
export const demoForms: readonly string[] = formLines.map(({ formId }) => formId)
