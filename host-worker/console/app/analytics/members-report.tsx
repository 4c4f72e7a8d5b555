import { Card } from '../kit/card.tsx'
import { PagedTable } from '../kit/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import { useList } from '../service/use-pages.ts'
import type { Range } from './report.tsx'

const PAGE_ROWS = 100

/** Members by their signup, read page by page. */
export function Members({ range: { start, end } }: { readonly range: Range }) {
  const pages = useList(JSON.stringify(['members', start, end]), async (client, cursor, signal) => {
    const offset = cursor ?? '0'
    const query = { signupStart: start, signupEnd: end, limit: String(PAGE_ROWS), offset }
    const { members, pagination } = await client.call('analytics.members', { query }, signal)
    const { limit, hasMore, nextOffset } = pagination
    const nextCursor = nextOffset === null ? null : String(nextOffset)
    return { data: members, pagination: { limit, hasMore, nextCursor } }
  })
  const isRefused = pages.failure?.kind === 'refused' && pages.items.length === 0
  return (
    <Card title="Members">
      {isRefused ? (
        <Empty title="This organization does not have this report.">{pages.failure.message}</Empty>
      ) : (
        <PagedTable
          label="Members"
          pages={pages}
          columns={[
            { title: 'Membership', cell: ({ membershipId }) => membershipId },
            { title: 'Signed up', cell: ({ signupDate }) => signupDate ?? '' },
            { title: 'Status', cell: ({ status }) => status },
            { title: 'Left', cell: ({ cancelDate }) => cancelDate ?? '' },
            { title: 'Plan', cell: ({ planName }) => planName ?? '' },
            { title: 'Amount', align: 'end', cell: ({ billingAmount }) => billingAmount ?? '' },
          ]}
          rowKey={({ membershipId }) => membershipId}
          empty={<Empty title="Nobody signed up in these days." />}
        />
      )}
    </Card>
  )
}
