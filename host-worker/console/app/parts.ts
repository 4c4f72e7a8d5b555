import type { Part } from './part.ts'

/** Every part, in the order of the navigation. The first one of each kind is at the root. */
export const parts: readonly Part[] = [
  { path: '/', title: 'Overview', for: 'operator', load: () => import('./overview/overview-page.tsx') },
  {
    path: '/organizations',
    title: 'Organizations',
    for: 'operator',
    load: () => import('./organizations/organizations-page.tsx'),
  },
  {
    path: '/',
    title: 'Settings',
    for: 'operator',
    within: 'organization',
    load: () => import('./organizations/settings-page.tsx'),
  },
  {
    path: '/submissions',
    title: 'Submissions',
    for: 'operator',
    within: 'organization',
    load: () => import('./submissions/submissions-page.tsx'),
  },
  {
    path: '/forms',
    title: 'Forms',
    for: 'operator',
    within: 'organization',
    load: () => import('./forms/forms-page.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    for: 'operator',
    within: 'organization',
    load: () => import('./lists/keys-page.tsx'),
  },
  {
    path: '/imports',
    title: 'Imports',
    for: 'operator',
    within: 'organization',
    load: () => import('./imports/imports-page.tsx'),
  },
  {
    path: '/sends',
    title: 'Sends',
    for: 'operator',
    within: 'organization',
    load: () => import('./lists/sends-page.tsx'),
  },
  {
    path: '/outbox',
    title: 'Outbox',
    for: 'operator',
    within: 'organization',
    load: () => import('./lists/outbox-page.tsx'),
  },
  { path: '/outbox', title: 'Outbox', for: 'operator', load: () => import('./lists/outbox-page.tsx') },
  {
    path: '/platform-sends',
    title: 'Platform sends',
    for: 'operator',
    load: () => import('./lists/sends-page.tsx'),
  },
  { path: '/audit', title: 'Audit', for: 'operator', load: () => import('./lists/audit-page.tsx') },
  {
    path: '/operator-keys',
    title: 'Operator keys',
    for: 'operator',
    role: 'admin',
    load: () => import('./lists/operator-keys-page.tsx'),
  },
  { path: '/', title: 'Home', for: 'tenant', load: () => import('./home/home-page.tsx') },
  { path: '/data', title: 'Data', for: 'tenant', load: () => import('./data/data-page.tsx') },
  {
    path: '/analytics',
    title: 'Analytics',
    for: 'tenant',
    load: () => import('./analytics/analytics-page.tsx'),
  },
]
