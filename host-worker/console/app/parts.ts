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

const loadAccount = async () => (await import('./people/account-page.tsx')).Page
const loadAnalytics = async () => (await import('./analytics/analytics-page.tsx')).Page
const loadData = async () => (await import('./data/data-page.tsx')).Page
const loadPeople = async () => (await import('./people/people-page.tsx')).Page
const loadOutbox = async () => (await import('./lists/records-page.tsx')).Outbox
const loadSends = async () => (await import('./lists/records-page.tsx')).Sends

/** Those of operators, in the order of the navigation. The first one is at the root. */
export const operatorParts: readonly Part[] = [
  needs(
    'health.get',
    part('/', 'Overview', async () => (await import('./overview/overview-page.tsx')).Page),
  ),
  part(
    '/organizations',
    'Organizations',
    async () => (await import('./organizations/organizations-page.tsx')).Page,
  ),
  needs(
    'health.get',
    part(
      '/deliveries',
      'Deliveries',
      async () => (await import('./deliveries/deliveries-page.tsx')).Deliveries,
    ),
  ),
  needs('health.get', part('/outbox', 'Outbox', loadOutbox)),
  needs('health.get', part('/platform-sends', 'Platform sends', loadSends)),
  needs(
    'health.get',
    part('/audit', 'Audit', async () => (await import('./lists/records-page.tsx')).Audit),
  ),
  needs('health.get', part('/people', 'People', loadPeople)),
  needs(
    'operatorKeys.list',
    part('/operator-keys', 'Operator keys', async () => (await import('./lists/keys-page.tsx')).OperatorKeys),
  ),
  part('/account', 'Account', loadAccount),
]

/** Those of one organization, which are the tabs of its page. It opens on the first one. */
export const organizationParts: readonly Part[] = [
  part('/submissions', 'Submissions', async () => (await import('./submissions/submissions-page.tsx')).Page),
  part('/forms', 'Forms', async () => (await import('./forms/forms-page.tsx')).Page),
  asOrganization(part('/data', 'Data', loadData)),
  asOrganization(part('/analytics', 'Analytics', loadAnalytics)),
  needs(
    'imports.list',
    part('/imports', 'Imports', async () => (await import('./imports/imports-page.tsx')).Page),
  ),
  needs(
    'exports.begin',
    part('/export', 'Export', async () => (await import('./organizations/export-page.tsx')).Page),
  ),
  needs(
    'keys.list',
    part('/keys', 'Keys', async () => (await import('./lists/keys-page.tsx')).Keys),
  ),
  needs(
    'webhooks.list',
    part('/webhooks', 'Webhooks', async () => (await import('./webhooks/webhooks-page.tsx')).Page),
  ),
  needs(
    'outbox.summary',
    part(
      '/deliveries',
      'Deliveries',
      async () => (await import('./deliveries/deliveries-page.tsx')).OrganizationDeliveries,
    ),
  ),
  needs('people.list', part('/people', 'People', loadPeople)),
  needs('sends.list', part('/sends', 'Sends', loadSends)),
  needs('outbox.list', part('/outbox', 'Outbox', loadOutbox)),
  needs(
    'audit.list',
    part('/settings', 'Settings', async () => (await import('./organizations/settings-page.tsx')).Page),
  ),
]

/** Those of a tenant's key. */
export const tenantParts: readonly Part[] = [
  part('/', 'Home', async () => Home),
  part(
    '/submissions',
    'Submissions',
    async () => (await import('./submissions/tenant-submissions.tsx')).TenantSubmissions,
  ),
  part('/data', 'Data', loadData),
  part('/analytics', 'Analytics', loadAnalytics),
  part('/account', 'Account', loadAccount),
]

/** A part for whoever may use an operation. */
function needs(id: OperationId, of: Part): Part {
  return { ...of, needs: id }
}

/** A part that shows what the organization itself reads. Its addresses begin at those of the organization. */
function asOrganization(of: Part): Part {
  return { ...of, isAsOrganization: true }
}

function part(path: string, title: string, load: Part['load']): Part {
  return { path, title, load }
}
