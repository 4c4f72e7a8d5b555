import type { Organization } from '../../../ports/organizations/organization.ts'
import { newOrganization } from '../../../domain/operators/organization.ts'
import { formLines } from './forms.ts'

export { demoPassword } from './forms.ts'

/** The organization that a fresh local service serves. */
export const demoOrganization: Organization = {
  ...newOrganization('demo', 'Sparkle Car Wash'),
  slug: 'sparkle',
  smsNumber: '+12125550100',
  analytics: true,
  retentionOfferAnalytics: true,
}

/** Ids of the demo's forms; the first one is plain and open to anyone. */
export const demoForms: readonly string[] = formLines.map(({ formId }) => formId)
