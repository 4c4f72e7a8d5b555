import type { ComponentType } from 'preact'
import type { OrganizationProps } from './organizations/organization.ts'
import { Home, type Role } from './session.tsx'

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
  /** The least role that may use it. Left out: every operator, or the tenant. */
  readonly role?: Role
}

const loadOutbox = async () => (await import('./lists/records-page.tsx')).Outbox
const loadSends = async () => (await import('./lists/records-page.tsx')).Sends

/** Those of operators, in the order of the navigation. The first one is at the root. */
export const operatorParts: readonly Part[] = [
  part('/', 'Overview', async () => (await import('./overview/overview-page.tsx')).Page),
  part(
    '/organizations',
    'Organizations',
    async () => (await import('./organizations/organizations-page.tsx')).Page,
  ),
  part('/outbox', 'Outbox', loadOutbox),
  part('/platform-sends', 'Platform sends', loadSends),
  part('/audit', 'Audit', async () => (await import('./lists/records-page.tsx')).Audit),
  {
    ...part(
      '/operator-keys',
      'Operator keys',
      async () => (await import('./lists/keys-page.tsx')).OperatorKeys,
    ),
    role: 'admin',
  },
]

/** Those of one organization, which are the tabs of its page. It opens on the first one. */
export const organizationParts: readonly Part[] = [
  part('/submissions', 'Submissions', async () => (await import('./submissions/submissions-page.tsx')).Page),
  part('/forms', 'Forms', async () => (await import('./forms/forms-page.tsx')).Page),
  part('/keys', 'Keys', async () => (await import('./lists/keys-page.tsx')).Keys),
  part('/imports', 'Imports', async () => (await import('./imports/imports-page.tsx')).Page),
  part('/sends', 'Sends', loadSends),
  part('/outbox', 'Outbox', loadOutbox),
  part('/webhooks', 'Webhooks', async () => (await import('./webhooks/webhooks-page.tsx')).Page),
  part('/settings', 'Settings', async () => (await import('./organizations/settings-page.tsx')).Page),
]

/** Those of a tenant. */
export const tenantParts: readonly Part[] = [
  part('/', 'Home', async () => Home),
  part(
    '/submissions',
    'Submissions',
    async () => (await import('./submissions/tenant-submissions.tsx')).Page,
  ),
  part('/data', 'Data', async () => (await import('./data/data-page.tsx')).Page),
  part('/analytics', 'Analytics', async () => (await import('./analytics/analytics-page.tsx')).Page),
]

function part(path: string, title: string, load: Part['load']): Part {
  return { path, title, load }
}
