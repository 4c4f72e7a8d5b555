import type { ItemOf } from '../service/operations.ts'

/** The address of an organization's page, or of one of its tabs, below the console. */
export function organizationPath(organizationId: string, tab = ''): string {
  return `/organizations/${encodeURIComponent(organizationId)}${tab === '/' ? '' : tab}`
}

type Capable = Pick<ItemOf<'organizations.list'>, 'analytics' | 'retentionOfferAnalytics' | 'billingEvents'>

/** What an organization may use beyond what all have. */
export function capabilitiesOf(organization: Capable): readonly string[] {
  return [
    ...(organization.analytics ? ['Analytics'] : []),
    ...(organization.retentionOfferAnalytics ? ['Retention offers'] : []),
    ...(organization.billingEvents ? ['Billing events'] : []),
  ]
}
