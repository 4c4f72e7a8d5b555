import { Link } from 'wouter-preact'
import { Card, Facts, PageHeader } from '../kit/page.tsx'
import { useIdentity } from '../session.tsx'

/** The home page of a tenant: whose key this is, and where everything is. */
export function Page() {
  const identity = useIdentity()
  const organizationId = identity.kind === 'tenant' ? identity.organizationId : ''
  return (
    <>
      <PageHeader title="Home" />
      <Card title="Organization">
        <Facts
          facts={[
            ['Identifier', <code key="id">{organizationId}</code>],
            [
              'Data',
              <Link key="data" href="/data">
                Every collection, to look through
              </Link>,
            ],
            [
              'Analytics',
              <Link key="analytics" href="/analytics">
                Cancellations, offers, cohorts and members, in charts and tables
              </Link>,
            ],
            [
              'Reference',
              <a key="docs" href="/docs">
                Every operation, to try with this key
              </a>,
            ],
          ]}
        />
      </Card>
    </>
  )
}
