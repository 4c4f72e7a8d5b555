import { showOrganization } from '../../../domain/operators/endpoints/organization/organizations.ts'
import { listOutbox, retryOutbox } from '../../../domain/operators/endpoints/service/outbox.ts'
import type { ItemOf } from '../client/pages.ts'
import { itemsOf } from '../client/pages.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'
import { listing, source } from '../listing/listing.ts'
import { checkOrganization } from './check-organization.ts'

const waiting = source<ItemOf<typeof listOutbox>>(
  [
    { head: 'entry', of: ({ outboxId }) => outboxId },
    { head: 'state', of: ({ status }) => status },
    { head: 'attempts', of: ({ attempts }) => attempts, isNamed: true },
    { head: 'organization', of: ({ organizationId }) => organizationId },
    { head: 'kind', of: ({ kind }) => kind },
    { head: 'submission', of: ({ submissionId }) => submissionId },
    { head: 'next', of: nextAttempt, isNamed: true, isOmitted: true },
    { head: 'reason', of: ({ lastError }) => lastError, isOmitted: true, mayBeCut: true },
  ],
  async (context, values, limit) => {
    const organizationId = await checkOrganization(context, values)
    const query = { limit, ...(organizationId === undefined ? {} : { organizationId }) }
    return itemsOf(await context.service(), listOutbox, { query }, context.note)
  },
)

function nextAttempt({ status, nextAttemptAt }: ItemOf<typeof listOutbox>): string | null {
  return status === 'pending' ? nextAttemptAt : null
}

const listCommand = listing({
  words: ['outbox', 'list'],
  flags: { org: text('ID') },
  summary: 'List what waits or failed after a receipt, oldest first',
  details: [
    'What is done is not listed: see "sends", and the runs of automations. A pipe has no next attempt and no reason where',
    'there is none.',
  ],
  examples: ['', '--org lakeside', '--json --limit 100'],
  operations: [showOrganization, listOutbox],
  sources: [waiting],
  piped: 'columns',
  shown: { count: 1000, which: 'oldest' },
})

const retryCommand: Command = {
  words: ['outbox', 'retry'],
  positionals: ['ID'],
  flags: {},
  summary: 'Try a waiting or failed entry again, with all attempts before it',
  details: [
    'ID is what "outbox list" shows first. The service takes the entry up within a minute. Email providers recognise a',
    'repeated message for a day: an attempt whose fate is unknown and that is older may arrive twice.',
  ],
  examples: ['obx_9fK2mT4vXw7LqRzN'],
  operations: [retryOutbox],
  run: async (context, { positionals: [outboxId = ''] }) => {
    const service = await context.service()
    await service.call(retryOutbox, { params: { outboxId } })
    context.note(`${outboxId} is due now.`)
  },
}

export const commands = [listCommand, retryCommand]
