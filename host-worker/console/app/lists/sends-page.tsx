import { PageHeader, Empty } from '../kit/page.tsx'
import { PagedTable } from '../kit/table.tsx'
import { columnsOf } from '../operations/operation-form.tsx'
import type { PartProps } from '../part.ts'
import { usePages } from '../service/hooks.ts'

/** How each outcome of a send looks. */
export const sendTones = { accepted: 'good', failed: 'bad', pending: 'waiting', unknown: 'bad' } as const

/** What an organization handed to the providers of messages, or what was with keys of the platform, newest first. */
export function Page({ organizationId }: PartProps) {
  const isOfPlatform = organizationId === ''
  const id = isOfPlatform ? 'platformSends.list' : 'sends.list'
  const sends = usePages<typeof id>(id, isOfPlatform ? {} : { params: { organizationId } })
  return (
    <>
      {isOfPlatform && <PageHeader title="Platform sends" />}
      <PagedTable
        label="Sends"
        pages={sends}
        columns={columns}
        rowKey={({ at, channel, to, providerId }) => `${at} ${channel} ${to} ${providerId ?? ''}`}
        empty={<Empty title="Nothing was sent yet." />}
      />
    </>
  )
}

const columns = columnsOf('sends.list', [
  { of: 'channel', width: '6rem' },
  { of: 'to', width: 'minmax(0, 1.5fr)' },
  { of: 'from', width: 'minmax(0, 1.5fr)' },
  { of: 'outcome', tones: sendTones },
  ...(['error', 'at'] as const),
])
