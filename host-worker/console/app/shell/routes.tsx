import { Route, Switch } from 'wouter-preact'
import { Empty } from '../kit/states.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { OrganizationFrame } from '../organizations/organization-frame.tsx'
import type { Part } from '../part.ts'
import { PartPage } from './part-page.tsx'

/** Shows the part to which the address belongs. */
export function Routes({ parts }: { readonly parts: readonly Part[] }) {
  const tabs = parts.filter(({ within }) => within === 'organization')
  const others = parts.filter(({ within }) => within === undefined)
  return (
    <Switch>
      {tabs.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(`/organizations/:organizationId${part.path}`)}>
          {({ organizationId }: { readonly organizationId: string }) => (
            <OrganizationFrame organizationId={organizationId} tabs={tabs}>
              <PartPage key={part.title} part={part} organizationId={organizationId} />
            </OrganizationFrame>
          )}
        </Route>
      ))}
      {others.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(part.path)}>
          <PartPage key={part.title} part={part} organizationId="" />
        </Route>
      ))}
      <Route>
        <PageHeader title="Not found" />
        <Empty title="There is no page at this address.">
          It may have moved, or this key may not see it. The navigation lists every page that there is.
        </Empty>
      </Route>
    </Switch>
  )
}

/** The pattern of a part's addresses. The root is one address only. */
function below(path: string): string {
  return path.endsWith('/') ? path : `${path}/*?`
}

function longestFirst(left: Part, right: Part): number {
  return right.path.length - left.path.length
}
