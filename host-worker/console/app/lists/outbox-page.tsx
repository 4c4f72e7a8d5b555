import { Link } from 'wouter-preact'
import { RowButton, calls, toast } from '../kit/buttons.tsx'
import { PageHeader, Empty, FailureNote, momentText } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import { columnsOf } from '../operations/operation-form.tsx'
import { organizationPath } from '../organizations/organization.tsx'
import type { PartProps } from '../part.ts'
import { useAction, useChanging, usePages } from '../service/hooks.ts'

/** How often the list is read again while something waits, in ms. */
const LOOK_MS = 3_000

/** What waits or failed after a receipt, of one organization or of all, each with a button that tries it again. */
export function Page({ organizationId }: PartProps) {
  const isOfAll = organizationId === ''
  const entries = usePages('outbox.list', isOfAll ? {} : { query: { organizationId } })
  useChanging(entries, ({ status }) => status === 'pending', LOOK_MS)
  const retry = useAction(
    (client, outboxId: string) => client.call('outbox.retry', { params: { outboxId } }),
    () => {
      toast('It is tried again within a minute.')
      entries.reload()
    },
  )
  const change = {
    title: 'Change',
    width: '7rem',
    cell: ({ outboxId }: { readonly outboxId: string }) => (
      <RowButton
        verb="Retry"
        of={outboxId}
        isRunning={retry.isRunning}
        onClick={calls(retry.run, outboxId)}
      />
    ),
  }
  return (
    <>
      {isOfAll && <PageHeader title="Outbox" />}
      {retry.failure !== null && <FailureNote failure={retry.failure} />}
      <PagedTable
        label="Outbox"
        pages={entries}
        columns={[...(isOfAll ? whose : []), ...columns, change]}
        rowKey={({ outboxId }) => outboxId}
        empty={<Empty title="Nothing waits and nothing failed.">What is done is not listed here.</Empty>}
      />
    </>
  )
}

const whose = columnsOf('outbox.list', [
  {
    of: 'organizationId',
    cell: ({ organizationId }) => (
      <Link href={organizationPath(organizationId, '/outbox')}>{organizationId}</Link>
    ),
  },
])

const columns = columnsOf('outbox.list', [
  'kind',
  { of: 'status', tones: { pending: 'waiting', held: 'neutral', failed: 'bad' } },
  { of: 'lastError', width: 'minmax(0, 2fr)' },
  {
    title: 'Due',
    cell: ({ status, nextAttemptAt }) => (status === 'pending' ? momentText(nextAttemptAt) : 'when retried'),
  },
  { of: 'attempts', align: 'end', width: '6rem' },
])
