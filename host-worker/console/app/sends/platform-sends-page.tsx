import { PageHeader } from '../kit/page-header.tsx'
import { usePages } from '../service/use-pages.ts'
import { SendsTable } from './sends-table.tsx'

/** What was sent with keys of the platform. */
export function Page() {
  return (
    <>
      <PageHeader title="Platform sends" />
      <SendsTable sends={usePages('platformSends.list')} />
    </>
  )
}
