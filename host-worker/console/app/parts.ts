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
  { path: '/', title: 'Home', for: 'tenant', load: () => import('./home/home-page.tsx') },
  { path: '/data', title: 'Data', for: 'tenant', load: () => import('./data/data-page.tsx') },
]
