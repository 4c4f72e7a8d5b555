import { createContext, type ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { CopyButton } from '../kit/buttons.tsx'
import { PageHeader, Tabs } from '../kit/page.tsx'
import type { Part } from '../part.ts'
import type { ItemOf } from '../service/operations.ts'
import { useCall, type Reading } from '../service/hooks.ts'
import type { ShownOrganization } from './settings.ts'

interface OrganizationFrameProps {
  readonly organizationId: string
  /** The parts of an organization's page. */
  readonly tabs: readonly Part[]
  readonly children: ComponentChildren
}

/** The head of an organization's pages, with a tab for each of its parts. */
export function OrganizationFrame({ organizationId, tabs, children }: OrganizationFrameProps) {
  const found = useCall('organizations.show', { params: { organizationId } })
  const [location] = useLocation()
  const name = found.state === 'ready' && 'name' in found.data ? found.data.name : organizationId
  const here = tabs
    .map(({ path }) => organizationPath(organizationId, path))
    .filter((path) => location === path || location.startsWith(`${path}/`))
    .reduce((longest, path) => (path.length > longest.length ? path : longest), '')
  return (
    <OrganizationContext.Provider value={found}>
      <PageHeader
        title={name}
        crumbs={[{ title: 'Organizations', path: '/organizations' }]}
        actions={
          <span class="copied">
            <code>{organizationId}</code>
            <CopyButton text={organizationId} what="the identifier" />
          </span>
        }
      >
        {tabs.length > 1 && (
          <Tabs
            label="Organization"
            tabs={tabs.map(({ path, title }) => {
              const href = organizationPath(organizationId, path)
              return { title, href, isHere: href === here }
            })}
          />
        )}
      </PageHeader>
      {children}
    </OrganizationContext.Provider>
  )
}

const OrganizationContext = createContext<Reading<ShownOrganization> | null>(null)

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

type Capable = Pick<ItemOf<'organizations.list'>, 'analytics' | 'retentionOfferAnalytics' | 'billingEvents'>

/** What an organization may use beyond what all have. */
export function capabilitiesOf(organization: Capable): readonly string[] {
  return [
    ...(organization.analytics ? ['Analytics'] : []),
    ...(organization.retentionOfferAnalytics ? ['Retention offers'] : []),
    ...(organization.billingEvents ? ['Billing events'] : []),
  ]
}
