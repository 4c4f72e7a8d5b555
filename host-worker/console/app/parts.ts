import type { ComponentType } from 'preact'
import type { OrganizationProps } from './organizations/organization.ts'
import type { OperationId } from './service/operations.ts'
import { Home } from './session.tsx'

/**
 * A part of the console: pages for one thing that a person does. A part that is not listed here does not exist, and one
 * that is listed is in the navigation of those who may use it.
 */
export interface Part {
  /** The address below `/console`, or below `/organizations/ID`. A part has every address that begins with it. */
  readonly path: string
  /** The name in the navigation. */
  readonly title: string
  /** Loads its code when it is first shown. */
  readonly load: () => Promise<ComponentType<OrganizationProps>>
  /** Shown to whoever may use this operation. Left out: to everybody. */
  readonly needs?: OperationId
  /** Given when it reads the public interface, as the organization does. */
  readonly isAsOrganization?: true
}

// The code of each page is loaded when it is first shown.
const account = async () => (await import('./people/account-page.tsx')).Page
const analytics = async () => (await import('./analytics/analytics-page.tsx')).Page
const audit = async () => (await import('./lists/records-page.tsx')).Audit
const data = async () => (await import('./data/data-page.tsx')).Page
const deliveries = async () => (await import('./deliveries/deliveries-page.tsx')).Deliveries
const exported = async () => (await import('./organizations/export-page.tsx')).Page
const forms = async () => (await import('./forms/forms-page.tsx')).Page
const imports = async () => (await import('./imports/imports-page.tsx')).Page
const keys = async () => (await import('./lists/keys-page.tsx')).Keys
const operatorKeys = async () => (await import('./lists/keys-page.tsx')).OperatorKeys
const organizations = async () => (await import('./organizations/organizations-page.tsx')).Page
const outbox = async () => (await import('./lists/records-page.tsx')).Outbox
const overview = async () => (await import('./overview/overview-page.tsx')).Page
const ownDeliveries = async () => (await import('./deliveries/deliveries-page.tsx')).OrganizationDeliveries
const ownSubmissions = async () => (await import('./submissions/tenant-submissions.tsx')).TenantSubmissions
const people = async () => (await import('./people/people-page.tsx')).Page
const sends = async () => (await import('./lists/records-page.tsx')).Sends
const settings = async () => (await import('./organizations/settings-page.tsx')).Page
const submissions = async () => (await import('./submissions/submissions-page.tsx')).Page
const webhooks = async () => (await import('./webhooks/webhooks-page.tsx')).Page

/** Those of operators, in the order of the navigation. The first one is at the root. */
export const operatorParts: readonly Part[] = [
  { path: '/', title: 'Overview', load: overview, needs: 'health.get' },
  { path: '/organizations', title: 'Organizations', load: organizations },
  { path: '/deliveries', title: 'Deliveries', load: deliveries, needs: 'health.get' },
  { path: '/outbox', title: 'Outbox', load: outbox, needs: 'health.get' },
  { path: '/platform-sends', title: 'Platform sends', load: sends, needs: 'health.get' },
  { path: '/audit', title: 'Audit', load: audit, needs: 'health.get' },
  { path: '/people', title: 'People', load: people, needs: 'health.get' },
  { path: '/operator-keys', title: 'Operator keys', load: operatorKeys, needs: 'operatorKeys.list' },
  { path: '/account', title: 'Account', load: account },
]

/** Those of one organization, which are the tabs of its page. It opens on the first one. */
export const organizationParts: readonly Part[] = [
  { path: '/submissions', title: 'Submissions', load: submissions },
  { path: '/forms', title: 'Forms', load: forms },
  { path: '/data', title: 'Data', load: data, isAsOrganization: true },
  { path: '/analytics', title: 'Analytics', load: analytics, isAsOrganization: true },
  { path: '/imports', title: 'Imports', load: imports, needs: 'imports.list' },
  { path: '/export', title: 'Export', load: exported, needs: 'exports.begin' },
  { path: '/keys', title: 'Keys', load: keys, needs: 'keys.list' },
  { path: '/webhooks', title: 'Webhooks', load: webhooks, needs: 'webhooks.list' },
  { path: '/deliveries', title: 'Deliveries', load: ownDeliveries, needs: 'outbox.summary' },
  { path: '/people', title: 'People', load: people, needs: 'people.list' },
  { path: '/sends', title: 'Sends', load: sends, needs: 'sends.list' },
  { path: '/outbox', title: 'Outbox', load: outbox, needs: 'outbox.list' },
  { path: '/settings', title: 'Settings', load: settings, needs: 'audit.list' },
]

/** Those of a tenant's key. */
export const tenantParts: readonly Part[] = [
  { path: '/', title: 'Home', load: async () => Home },
  { path: '/submissions', title: 'Submissions', load: ownSubmissions },
  { path: '/data', title: 'Data', load: data },
  { path: '/analytics', title: 'Analytics', load: analytics },
  { path: '/account', title: 'Account', load: account },
]
