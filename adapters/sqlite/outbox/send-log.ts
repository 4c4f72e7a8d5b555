import { sql } from 'kysely'
import type { SendLog, SendRecord } from '../../../ports/messaging/send-log.ts'
import { atMost, bind, db, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import type { Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'
import { excluded, jsonEach, one } from '../statement/words.ts'
import type { FollowingWord } from './following-ids.ts'
import { followsSubmission } from './following-ids.ts'

/** The operator's own sends belong to no organization; the table keeps them under this empty id. */
const OPERATOR = ''

const organizationId = slot<string>('organizationId')

/** What is told of a send, in the order of `recordStatements`. */
const told = ['channel', 'sender', 'recipient', 'provider_id', 'outcome', 'error', 'at'] as const

/**
 * What was sent while the organization was being deleted is not recorded. A send that was accepted stays accepted: a later
 * attempt with the same id can only be a repetition.
 */
const record = template(
  db
    .insertInto('sends')
    .columns(['organization_id', 'send_id', ...told])
    .expression(
      db
        .selectFrom(jsonEach<never, 'send'>(slot('sends'), 'send'))
        .select(organizationId.as('organization_id'))
        .select(({ ref }) =>
          ['send_id', ...told].map((column, index) =>
            sql<never>`${ref('send.value')} ->> ${sql.lit(index)}`.as(column),
          ),
        )
        .where(({ eb, exists, or }) =>
          or([
            eb(organizationId, '=', sql.lit(OPERATOR)),
            exists(
              db.selectFrom('organizations as o').select(one).where('o.organization_id', '=', organizationId),
            ),
          ]),
        ),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'send_id'])
        .doUpdateSet(excluded(told))
        .where('sends.outcome', '<>', sql.lit('accepted')),
    ),
)

const sends = db
  .selectFrom('sends')
  .select(['send_id as sendId', 'channel', 'sender as from', 'recipient as to', 'provider_id as providerId'])
  .select(['outcome', 'error', 'at'])
  .where('organization_id', '=', organizationId)

const latestFirst = sends.orderBy('at', 'desc').orderBy('send_id', 'desc').limit(atMost('limit'))
const first = template(latestFirst)
const next = template(
  latestFirst.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('at', 'send_id'), '<', tuple(slot<string>('at'), slot<string>('sendId'))),
  ),
)

const followingAs = (word: FollowingWord) =>
  sends.where(({ ref }) => followsSubmission(ref('send_id'), word, slot('submissionId')))
const following = template(
  db
    .selectFrom(followingAs('obx').unionAll(followingAs('run')).as('s'))
    .selectAll()
    .orderBy('at')
    .orderBy('sendId')
    .limit(atMost('limit')),
)

/** The statements that record sends, to be added to a batch. */
export function recordStatements(organizationId: string, sends: readonly SendRecord[]): readonly Statement[] {
  const rows = sends.map(({ sendId, channel, from, to, providerId, outcome, error, at }) =>
    [sendId, channel, from, to, providerId, outcome, error, at].map((value) => value?.toWellFormed() ?? null),
  )
  return jsonChunks(rows).map((chunk) => bind(record, { organizationId, sends: chunk }))
}

/** The log of sends. */
export function createSendLog(guard: Guard): SendLog {
  return {
    open: (owner) => {
      const organizationId = owner ?? OPERATOR
      const executor = guard({ organizationIds: [organizationId] })
      return {
        async record(sends) {
          if (sends.length > 0) await executor.batch(recordStatements(organizationId, sends))
        },
        list(after, limit) {
          const statement =
            after === null
              ? bind(first, { organizationId, limit })
              : bind(next, { organizationId, limit, at: after.at, sendId: after.sendId })
          return rowsOf(executor, statement)
        },
        ofSubmission: (submissionId, limit) =>
          rowsOf(executor, bind(following, { organizationId, submissionId, limit })),
      }
    },
  }
}
