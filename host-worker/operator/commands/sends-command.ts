import { listPlatformSends, listSends } from '../../../domain/operators/endpoints/service/sends.ts'
import type { ItemOf } from '../client/pages.ts'
import { itemsOf } from '../client/pages.ts'
import { listing, source } from '../listing/listing.ts'
import { ownerFlags, ownerOf } from './owner.ts'

const sends = source<ItemOf<typeof listSends>>(
  [
    { head: 'at', of: ({ at }) => at },
    { head: 'channel', of: ({ channel }) => channel },
    { head: 'outcome', of: ({ outcome }) => outcome },
    { head: 'to', of: ({ to }) => to, mayBeCut: true },
    { head: 'from', of: ({ from }) => from, mayBeCut: true },
    { head: 'provider id', of: ({ providerId }) => providerId },
    { head: 'error', of: ({ error }) => error, mayBeCut: true },
  ],
  async (context, values, limit) => {
    const organizationId = ownerOf(values)
    const service = await context.service()
    const query = { limit }
    return organizationId === null
      ? itemsOf(service, listPlatformSends, { query })
      : itemsOf(service, listSends, { params: { organizationId }, query })
  },
)

const sendsCommand = listing({
  words: ['sends'],
  flags: ownerFlags,
  summary: 'Print what was sent, newest first',
  details: [
    'The channel is sms, mms or email. The outcome is pending until it is recorded, then accepted or failed; what has been',
    'pending for ten minutes is unknown: the service was cut off, and the message may or may not have been sent.',
    '--platform prints what was sent with platform keys.',
  ],
  examples: ['--org lakeside', '--org lakeside --limit 20', '--platform --json'],
  operations: [listSends, listPlatformSends],
  sources: [sends],
  piped: 'json',
  shown: null,
})

export const commands = [sendsCommand]
