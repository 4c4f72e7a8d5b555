import { Route, Switch } from 'wouter-preact'
import { organizationPath } from '../organizations/organization.ts'
import type { PartProps } from '../part.ts'
import { Inbox } from './inbox.tsx'
import { SubmissionView } from './submission-view.tsx'

/** What came in through an organization's forms: the list, and one submission. */
export function Page({ organizationId }: PartProps) {
  return (
    <Switch>
      <Route path={organizationPath(organizationId, '/submissions/:submissionId')}>
        {({ submissionId }: { readonly submissionId: string }) => (
          <SubmissionView organizationId={organizationId} submissionId={submissionId} />
        )}
      </Route>
      <Route>
        <Inbox organizationId={organizationId} />
      </Route>
    </Switch>
  )
}
