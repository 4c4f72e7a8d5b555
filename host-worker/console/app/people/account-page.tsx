import { Button, RowButton, calls, toast } from '../kit/controls.tsx'
import { Badge, Card, Empty, Facts, FailureNote, NO_VALUE, PageHeader } from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { columnsOf } from '../operations/operation-form.tsx'
import { useAction, usePages } from '../service/hooks.ts'
import type { ItemOf } from '../service/operations.ts'
import { useIdentity } from '../session.tsx'

type Listed = ItemOf<'me.sessions'>

/** Who is signed in, and where. */
export function Page() {
  const { email, name, keyId, role, organizations } = useIdentity()
  const sessions = usePages('me.sessions')
  const end = useAction(
    (client, sessionId: string) => client.call('me.endSession', { params: { sessionId } }),
    () => {
      toast('That session has ended.')
      sessions.reload()
    },
  )
  const endAll = useAction(
    (client) => client.call('me.endSessions'),
    () => {
      // The next call finds that nobody is signed in, and the console says so.
      sessions.reload()
    },
  )
  const change: Column<Listed> = {
    title: 'Change',
    width: '8rem',
    cell: ({ sessionId, browser, isThis }) =>
      isThis === true || email === null ? null : (
        <RowButton verb="End" of={browser} isRunning={end.isRunning} onClick={calls(end.run, sessionId)} />
      ),
  }
  return (
    <>
      <PageHeader title="Account" />
      <Card title="Who you are">
        <Facts
          facts={[
            ['Address', email ?? NO_VALUE],
            ['Name', name ?? NO_VALUE],
            ['Key', keyId === null ? NO_VALUE : <code key="key">{keyId}</code>],
            ['Role in the service', role ?? NO_VALUE],
            [
              'Organizations',
              organizations.length === 0
                ? NO_VALUE
                : organizations.map((one) => `${one.name ?? one.organizationId} (${one.role})`).join(', '),
            ],
          ]}
        />
      </Card>
      <h2>Where you are signed in</h2>
      {end.failure !== null && <FailureNote failure={end.failure} />}
      {endAll.failure !== null && <FailureNote failure={endAll.failure} />}
      <p class="list-buttons">
        <Button isRunning={endAll.isRunning} onClick={calls(endAll.run, undefined)}>
          Sign out everywhere
        </Button>
      </p>
      <PagedTable
        label="Sessions"
        pages={sessions}
        columns={[...columns, change]}
        rowKey={({ sessionId }) => sessionId}
        empty={<Empty title="No session.">You are signed in by a key that comes with each call.</Empty>}
      />
    </>
  )
}

const columns = columnsOf('me.sessions', [
  {
    of: 'browser',
    width: 'minmax(0, 2fr)',
    cell: ({ browser, isThis }) => (
      <>
        {browser} {isThis === true && <Badge tone="good">this one</Badge>}
      </>
    ),
  },
  'lastSeenAt',
  'createdAt',
  'expiresAt',
])
