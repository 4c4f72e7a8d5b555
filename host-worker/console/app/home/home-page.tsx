import { Card } from '../kit/card.tsx'
import { Facts } from '../kit/facts.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Shown } from '../kit/states.tsx'
import { useRead } from '../service/use-query.ts'
import { useIdentity } from '../session/session.ts'
import type { ContractDocument } from './collections.ts'
import { collectionsIn } from './collections.ts'

/** The home page of a tenant: whose key this is, and what it can read. */
export function Page() {
  const identity = useIdentity()
  const document = useRead<ContractDocument>('/api/v1/openapi.json')
  const organizationId = identity.kind === 'tenant' ? identity.organizationId : ''
  return (
    <>
      <PageHeader title="Home" />
      <Card title="Organization">
        <Facts
          facts={[
            ['Identifier', <code key="id">{organizationId}</code>],
            [
              'Reference',
              <a key="docs" href="/docs">
                Every operation, to try with this key
              </a>,
            ],
          ]}
        />
      </Card>
      <Shown reading={document} lines={8}>
        {(known) => (
          <div class="columns">
            {[...Map.groupBy(collectionsIn(known), ({ tag }) => tag)].map(([tag, collections]) => (
              <Card key={tag} title={tag}>
                <ul class="plain-list">
                  {collections.map(({ path, summary }) => (
                    <li key={path}>
                      <p>{summary}</p>
                      <code>{path}</code>
                    </li>
                  ))}
                </ul>
              </Card>
            ))}
          </div>
        )}
      </Shown>
    </>
  )
}
