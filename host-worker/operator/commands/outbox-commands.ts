import { showOrganization } from '../../../domain/operators/endpoints/organizations.ts'
import { listOutbox, retryOutbox } from '../../../domain/operators/endpoints/outbox.ts'
import type { AnswerTo } from '../client/operator-service.ts'
import { itemsOf } from '../client/pages.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'
import { checkOrganization } from './check-organization.ts'

const LISTED_MAX = 1000

const listCommand: Command = {
  words: ['outbox', 'list'],
  positionals: [],
  flags: { org: text('ID') },
  summary: 'List what waits or failed after a receipt, oldest first',
  details: [
    'A line holds: entry id, state, attempts, organization, kind, submission, and when it is tried next and why it was',
    'not done yet. What is done is not listed: see "sends", and the runs of automations.',
  ],
  operations: [showOrganization, listOutbox],
  run: async (context, given) => {
    const organizationId = await checkOrganization(context, given)
    const query = organizationId === undefined ? {} : { organizationId }
    let listed = 0
    for await (const entry of itemsOf(await context.service(), listOutbox, { query }, context.note)) {
      if (listed === LISTED_MAX) {
        context.note(`Only the oldest ${LISTED_MAX} are shown.`)
        return
      }
      listed += 1
      context.out(describe(entry))
    }
  },
}

function describe(entry: AnswerTo<typeof listOutbox>['body']['data'][number]): string {
  const { outboxId, status, attempts, organizationId, kind, submissionId, nextAttemptAt, lastError } = entry
  const next = status === 'pending' ? `next ${nextAttemptAt}` : ''
  return [outboxId, status, `attempts ${attempts}`, organizationId, kind, submissionId, next, lastError ?? '']
    .filter((part) => part !== '')
    .join('  ')
}

const retryCommand: Command = {
  words: ['outbox', 'retry'],
  positionals: ['ID'],
  flags: {},
  summary: 'Try a waiting or failed entry again, with all attempts before it',
  details: [
    'ID is what "outbox list" shows first. The service takes the entry up within a minute. Email providers recognise a',
    'repeated message for a day: an attempt whose fate is unknown and that is older may arrive twice.',
  ],
  operations: [retryOutbox],
  run: async (context, { positionals: [outboxId = ''] }) => {
    const service = await context.service()
    await service.call(retryOutbox, { params: { outboxId } })
    context.note(`${outboxId} is due now.`)
  },
}

export const commands = [listCommand, retryCommand]
