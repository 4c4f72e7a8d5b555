import type { Part } from './part.ts'

const operator = { for: 'operator' } as const
const tab = { for: 'operator', within: 'organization' } as const
const tenant = { for: 'tenant' } as const

/** Every part, in the order of the navigation. The first one of each kind is at the root. */
export const parts: readonly Part[] = [
  { ...operator, path: '/', title: 'Overview', load: () => import('./overview/overview-page.tsx') },
  {
    ...{ ...operator, path: '/organizations', title: 'Organizations' },
    load: () => import('./organizations/organizations-page.tsx'),
  },
  { ...tab, path: '/', title: 'Settings', load: () => import('./organizations/settings-page.tsx') },
  {
    ...{ ...tab, path: '/submissions', title: 'Submissions' },
    load: () => import('./submissions/submissions-page.tsx'),
  },
  { ...tab, path: '/forms', title: 'Forms', load: () => import('./forms/forms-page.tsx') },
  { ...tab, path: '/keys', title: 'Keys', load: () => import('./lists/keys-page.tsx') },
  { ...tab, path: '/imports', title: 'Imports', load: () => import('./imports/imports-page.tsx') },
  { ...tab, path: '/sends', title: 'Sends', load: () => import('./lists/sends-page.tsx') },
  { ...tab, path: '/outbox', title: 'Outbox', load: () => import('./lists/outbox-page.tsx') },
  { ...operator, path: '/outbox', title: 'Outbox', load: () => import('./lists/outbox-page.tsx') },
  {
    ...operator,
    path: '/platform-sends',
    title: 'Platform sends',
    load: () => import('./lists/sends-page.tsx'),
  },
  { ...operator, path: '/audit', title: 'Audit', load: () => import('./lists/audit-page.tsx') },
  {
    ...{ ...operator, path: '/operator-keys', title: 'Operator keys', role: 'admin' },
    load: async () => ({ Page: (await import('./lists/keys-page.tsx')).OperatorKeys }),
  },
  { ...tenant, path: '/', title: 'Home', load: () => import('./home/home-page.tsx') },
  { ...tenant, path: '/data', title: 'Data', load: () => import('./data/data-page.tsx') },
  { ...tenant, path: '/analytics', title: 'Analytics', load: () => import('./analytics/analytics-page.tsx') },
]
