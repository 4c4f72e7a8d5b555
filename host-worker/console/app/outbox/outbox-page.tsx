import { PageHeader } from '../kit/page-header.tsx'
import { OutboxTable } from './outbox-table.tsx'

/** The outbox of all organizations. */
export function Page() {
  return (
    <>
      <PageHeader title="Outbox" />
      <OutboxTable />
    </>
  )
}
