import type { ComponentChildren } from 'preact'
import { useLocation } from 'wouter-preact'
import { CopyButton } from '../kit/saving/copy-button.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Tabs } from '../kit/tabs.tsx'
import type { Part } from '../part.ts'
import { useCall } from '../service/use-query.ts'
import { OrganizationContext } from './context.ts'
import { organizationPath } from './organization.ts'

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
