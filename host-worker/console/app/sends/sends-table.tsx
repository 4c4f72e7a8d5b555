import { Badge } from '../kit/card.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table.tsx'
import { PagedTable } from '../kit/table.tsx'
import { momentText } from '../kit/text.tsx'
import type { ItemOf } from '../service/operations.ts'
import type { Pages } from '../service/use-pages.ts'

type Send = ItemOf<'sends.list'>

const channels = { email: 'Email', sms: 'SMS', mms: 'MMS' } as const

/** How each outcome looks. */
export const tones = { accepted: 'good', failed: 'bad', pending: 'waiting', unknown: 'bad' } as const

const columns: readonly Column<Send>[] = [
  { title: 'Channel', width: '6rem', cell: ({ channel }) => channels[channel] },
  { title: 'To', width: 'minmax(0, 1.5fr)', cell: ({ to }) => to },
  { title: 'From', width: 'minmax(0, 1.5fr)', cell: ({ from }) => from },
  {
    title: 'Outcome',
    cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge>,
  },
  { title: 'Reason', cell: ({ error }) => error ?? '' },
  { title: 'At', cell: ({ at }) => momentText(at) },
]

/** What was handed to the providers of messages, newest first. */
export function SendsTable({ sends }: { readonly sends: Pages<Send> }) {
  return (
    <PagedTable
      label="Sends"
      pages={sends}
      columns={columns}
      rowKey={({ at, channel, to, providerId }) => `${at} ${channel} ${to} ${providerId ?? ''}`}
      empty={<Empty title="Nothing was sent yet." />}
    />
  )
}
