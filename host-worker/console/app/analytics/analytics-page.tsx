import { Redirect, Route, Switch, useLocation } from 'wouter-preact'
import { PageHeader, Tabs } from '../kit/page-header.tsx'
import { CancellationSurvey, Cancellations } from './cancellations.tsx'
import { Cohorts } from './cohorts.tsx'
import { Members } from './members.tsx'
import { RangeForm, searchOf, useChoices } from './report.tsx'
import { RetentionOffers } from './retention-offers.tsx'

const reports = [
  { path: '/analytics/cancellations', title: 'Cancellations', Report: Cancellations },
  { path: '/analytics/survey', title: 'Survey', Report: CancellationSurvey },
  { path: '/analytics/offers', title: 'Offers', Report: RetentionOffers },
  { path: '/analytics/cohorts', title: 'Cohorts', Report: Cohorts },
  { path: '/analytics/members', title: 'Members', Report: Members },
] as const

/** The five reports about memberships, each at an address of its own, of the days that are chosen there. */
export function Page() {
  const [location] = useLocation()
  const [choices] = useChoices()
  return (
    <>
      <PageHeader title="Analytics">
        <Tabs
          label="Reports"
          tabs={reports.map(({ path, title }) => ({
            title,
            href: path + searchOf(choices),
            isHere: path === location,
          }))}
        />
      </PageHeader>
      <RangeForm />
      <Switch>
        {reports.map(({ path, Report }) => (
          <Route key={path} path={path} component={Report} />
        ))}
        <Route>
          <Redirect to={reports[0].path + searchOf(choices)} replace />
        </Route>
      </Switch>
    </>
  )
}
