import { Link } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Badge } from '../kit/card.tsx'
import { Empty, FailureNote } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { PagedTable } from '../kit/table.tsx'
import { momentText } from '../kit/text.tsx'
import { toast } from '../kit/toasts.tsx'
import { organizationPath } from '../organizations/organization.tsx'
import type { ItemOf } from '../service/operations.ts'
import { useAction } from '../service/use-action.ts'
import { useChanging, usePages } from '../service/use-pages.ts'

type Entry = ItemOf<'outbox.list'>

const tones = { pending: 'waiting', held: 'neutral', failed: 'bad' } as const

/** How often the list is read again while something waits, in ms. */
const LOOK_MS = 3_000

/** What waits or failed after a receipt, of one organization or of all, each with a button that tries it again. */
export function OutboxTable({ organizationId }: { readonly organizationId?: string }) {
  const entries = usePages('outbox.list', organizationId === undefined ? {} : { query: { organizationId } })
  useChanging(entries, ({ status }) => status === 'pending', LOOK_MS)
  const retry = useAction(
    (client, outboxId: string) => client.call('outbox.retry', { params: { outboxId } }),
    () => {
      toast('It is tried again within a minute.')
      entries.reload()
    },
  )
  const columns: readonly Column<Entry>[] = [
    ...(organizationId === undefined ? [organizationColumn] : []),
    ...entryColumns,
    {
      title: 'Change',
      width: '7rem',
      cell: ({ outboxId }) => (
        <Button
          aria-label={`Retry ${outboxId}`}
          isRunning={retry.isRunning}
          onClick={() => {
            retry.run(outboxId)
          }}
        >
          Retry
        </Button>
      ),
    },
  ]
  return (
    <>
      {retry.failure !== null && <FailureNote failure={retry.failure} />}
      <PagedTable
        label="Outbox"
        pages={entries}
        columns={columns}
        rowKey={({ outboxId }) => outboxId}
        empty={<Empty title="Nothing waits and nothing failed.">What is done is not listed here.</Empty>}
      />
    </>
  )
}

const organizationColumn: Column<Entry> = {
  title: 'Organization',
  cell: ({ organizationId }) => (
    <Link href={organizationPath(organizationId, '/outbox')}>{organizationId}</Link>
  ),
}

const entryColumns: readonly Column<Entry>[] = [
  { title: 'What', cell: ({ kind }) => kind },
  { title: 'State', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { title: 'Reason', width: 'minmax(0, 2fr)', cell: ({ lastError }) => lastError ?? 'not tried yet' },
  {
    title: 'Due',
    cell: ({ status, nextAttemptAt }) => (status === 'pending' ? momentText(nextAttemptAt) : 'when retried'),
  },
  { title: 'Attempts', align: 'end', width: '6rem', cell: ({ attempts }) => String(attempts) },
]
