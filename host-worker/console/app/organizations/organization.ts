import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { searchText } from '../../../../domain/text/http.ts'
import type { Reading } from '../service/hooks.ts'
import type { BodyOf, ItemOf } from '../service/operations.ts'

/** What a page is given. */
export interface OrganizationProps {
  /** The organization that the page is about; empty outside of `within: 'organization'`. */
  readonly organizationId: string
}

/** An organization with its place, as the operator interface shows it. */
export type ShownOrganization = BodyOf<'organizations.show'>

export const OrganizationContext = createContext<Reading<ShownOrganization> | null>(null)

/** The organization that the page is about. Only for parts within an organization. */
export function useOrganization(): Reading<ShownOrganization> {
  const reading = useContext(OrganizationContext)
  if (reading === null) throw new Error('This page is not within an organization')
  return reading
}

/** The address of an organization's page, or of one of its tabs, below the console. */
export function organizationPath(organizationId: string, tab = ''): string {
  return `/organizations/${encodeURIComponent(organizationId)}${tab === '/' ? '' : tab}`
}

/** Which submissions an inbox shows; null: all. */
export interface InboxFilter {
  readonly formId: string | null
  readonly contactId: string | null
}

/** The address of what came in, below the console. */
export function inboxPath(organizationId: string, { formId, contactId }: Partial<InboxFilter>): string {
  return organizationPath(organizationId, '/submissions') + searchText({ form: formId, contact: contactId })
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
