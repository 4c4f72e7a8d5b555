import { toInstant } from '../../domain/text/instant.ts'
import type { ListedEntry } from '../../ports/outbox-store.ts'
import type { SendPosition, SendRecord } from '../../ports/send-log.ts'
import { systemClock } from '../system.ts'
import type { Command } from './command.ts'
import { textOption } from './command.ts'
import { organizationOf } from './context.ts'
import { CommandError } from './errors.ts'
import { ownerOf, ownerOptions } from './owner.ts'

const LISTED_MAX = 1000
const SENDS_PAGE = 500

const org = { org: { type: 'string' } } as const

export const outboxList: Command = {
  words: ['outbox', 'list'],
  synopsis: '[--org ID]',
  summary: 'List what waits or failed after a receipt, oldest first',
  details: [
    'A line holds: entry id, state, attempts, organization, kind, submission, and when it is tried next and why it was',
    'not done yet. What is done is not listed: see "sends", and the runs of automations.',
  ],
  options: org,
  positionals: [],
  run: async (context, values) => {
    const organizationId = textOption(values, 'org') ?? null
    if (organizationId !== null) await organizationOf(context, organizationId)
    const { outbox } = await context.storage()
    const entries = await outbox.list(organizationId, null, LISTED_MAX)
    for (const entry of entries) context.out(describe(entry))
    if (entries.length === LISTED_MAX) context.note(`Only the oldest ${LISTED_MAX} are shown.`)
  },
}

function describe(entry: ListedEntry): string {
  const { outboxId, status, attempts, organizationId, kind, submissionId, nextAttemptAt, lastError } = entry
  const next = status === 'pending' ? `next ${nextAttemptAt}` : ''
  return [outboxId, status, `attempts ${attempts}`, organizationId, kind, submissionId, next, lastError ?? '']
    .filter((part) => part !== '')
    .join('  ')
}

export const outboxRetry: Command = {
  words: ['outbox', 'retry'],
  synopsis: 'ID',
  summary: 'Try a waiting or failed entry again, with all attempts before it',
  details: [
    'ID is what "outbox list" shows first. The service takes the entry up within a minute. Email providers recognise a',
    'repeated message for a day: an attempt whose fate is unknown and that is older may arrive twice.',
  ],
  options: {},
  positionals: ['ID'],
  run: async (context, _values, [outboxId = '']) => {
    const { outbox } = await context.storage()
    const outcome = await outbox.redrive(outboxId, toInstant(systemClock.nowMs()))
    if (outcome === 'missing') throw new CommandError(`There is no entry ${outboxId} that waits or failed.`)
    if (outcome === 'leased')
      throw new CommandError(`${outboxId} is being worked on. Look again in a minute.`)
    context.note(`${outboxId} is due now.`)
  },
}

export const sends: Command = {
  words: ['sends'],
  synopsis: '--org ID | --platform',
  summary: 'Print what was sent, one JSON object a line, newest first',
  details: [
    'Keys: channel (sms, mms, email), from, to, providerId, outcome (accepted, failed), error, at. --platform prints',
    'what was sent with platform keys.',
  ],
  options: ownerOptions,
  positionals: [],
  run: async (context, values) => {
    const owner = await ownerOf(context, values)
    const log = (await context.storage()).sends.open(owner)
    let after: SendPosition | null = null
    do {
      const page: readonly SendRecord[] = await log.list(after, SENDS_PAGE)
      for (const { channel, from, to, providerId, outcome, error, at } of page) {
        context.out(JSON.stringify({ channel, from, to, providerId, outcome, error, at }))
      }
      after = page.length < SENDS_PAGE ? null : (page.at(-1) ?? null)
    } while (after !== null)
  },
}
