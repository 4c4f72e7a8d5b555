import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely'
import type {
  Alert,
  Claim,
  KeyedRequest,
  KnownRequest,
  SendLog,
  SendRecord,
  TenantSendLog,
} from '../../../ports/messaging.ts'
import { keysOf } from '../../../domain/text/encoding.ts'
import type { Database } from '../statement/database.ts'
import {
  atMost,
  bind,
  db,
  eb,
  slot,
  template,
  excluded,
  jsonEach,
  jsonChunks,
  writtenAt,
  exists,
} from '../statement/compiler.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { LATEST, paged } from '../statement/list.ts'
import { aliasesFor } from '../tables.ts'
import type { Guard } from '../placement/guard.ts'
import {
  declared,
  resultsOf,
  rowsAmong,
  rowsOf,
  type BoundValue,
  type Executor,
  type Statement,
} from '../statement/executor.ts'

/** The operator's own sends belong to no organization; the table keeps them under this empty id. */
const OPERATOR = ''

const organizationId = slot<string>('organizationId')

/** What is told of a send, in the order of `sendRows`. */
const told = ['channel', 'sender', 'recipient', 'provider_id', 'outcome', 'error', 'at'] as const
/** What changes when a send that is recorded ends. Its recipient may have been erased meanwhile, and stays so. */
const ended = ['provider_id', 'outcome', 'error'] as const

/** By the organization's clock, which this does not move: whoever moved it before finds all that was written since. */
const recordedAt = sql<string>`coalesce(${writtenAt}, '')`

/** What is sent while the organization is being deleted is not recorded. */
const isThere = eb.or([
  eb(organizationId, '=', sql.lit(OPERATOR)),
  exists(db.selectFrom('organizations as o').where('o.organization_id', '=', organizationId)),
])

/**
 * Records sends. One that the provider accepted stays as it is, also when it was returned later, which its provider's id
 * tells: a later attempt with the same id can only be a repetition.
 * @param changed what a record that is there takes over
 * @param condition what must hold
 */
const recording = (changed: readonly (typeof told)[number][], condition: Expression<SqlBool>) =>
  template(
    db
      .insertInto('sends')
      .columns(['organization_id', 'send_id', ...told, 'updated_at'])
      .expression(
        db
          .selectFrom(jsonEach<never, 'send'>(slot('sends'), 'send'))
          .select(organizationId.as('organization_id'))
          .select(({ ref }) =>
            ['send_id', ...told].map((column, index) =>
              sql<never>`${ref('send.value')} ->> ${sql.lit(index)}`.as(column),
            ),
          )
          .select(recordedAt.as('updated_at'))
          .where(isThere)
          .where(condition),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'send_id'])
          .doUpdateSet(excluded([...changed, 'updated_at']))
          .where('sends.outcome', '<>', sql.lit('accepted'))
          .where('sends.provider_id', 'is', null),
      ),
  )

const record = recording(told, sql`true`)
const end = recording(ended, sql`true`)
const judge = template(db.selectNoFrom(isThere.as('isThere')))

const thisRequest = expressionBuilder<Database, 'send_requests'>().and({
  organization_id: organizationId,
  request_key: slot('requestKey'),
})
const request = db.selectFrom('send_requests').where(thisRequest)
/** The request under the key, when the present one made it; or when it is another with the same body. */
const own = request.where('send_prefix', '=', slot('sendPrefix'))
const same = request.where('send_prefix', '<>', slot('sendPrefix')).where('body_hash', '=', slot('bodyHash'))
const heldRequest = request.where('holder', '=', slot('holder'))

const taken = {
  ...slotsOf(['bodyHash', 'sendPrefix', 'released', 'busyUntil', 'expiresAt']),
  holder: slot('sendPrefix'),
  is_ended: sql.lit(0),
}

/** A key that has expired is free. */
const takeKey = template(
  insertWhen('send_requests', { ...slotsOf(['organizationId', 'requestKey']), ...taken }, isThere).onConflict(
    (conflict) =>
      conflict
        .columns(['organization_id', 'request_key'])
        .doUpdateSet(excluded(keysOf(taken)))
        .where('send_requests.expires_at', '<=', slot<string>('now')),
  ),
)
const takeOver = template(
  db
    .updateTable('send_requests')
    .set({ holder: slot('sendPrefix'), busy_until: slot('busyUntil') })
    .where(thisRequest)
    .where('send_prefix', '<>', slot('sendPrefix'))
    .where('body_hash', '=', slot('bodyHash'))
    .where('is_ended', '=', sql.lit(0))
    .where('busy_until', '<=', slot<string>('now')),
)
const recordOwn = recording(told, exists(own))

/** The ids of the sends of a request, from one that is not released on, or all. */
const isOf = (found: typeof request, first: Expression<string>) => {
  const prefix = found.select('send_prefix').$asScalar()
  // A tilde comes after all digits.
  return sql<SqlBool>`send_id >= (${prefix}) || '_' || ${first} and send_id < (${prefix}) || '_~'`
}
const unreleased = request.select(({ ref }) => sql<string>`format('%03d', ${ref('released')})`.as('first'))
const beginAgain = template(
  db
    .updateTable('sends')
    .set({ at: slot('now'), updated_at: recordedAt })
    .where('organization_id', '=', organizationId)
    .where(isOf(same.where('holder', '=', slot('sendPrefix')), sql`(${unreleased})`))
    .where('outcome', '=', sql.lit('pending')),
)
const readRequest = template(
  request.select(aliasesFor(['bodyHash', 'sendPrefix', 'holder', 'released', 'busyUntil', 'isEnded'])),
)

const move = template(
  db
    .updateTable('send_requests')
    .set(({ fn, ref }) => ({
      released: fn<number>('max', [ref('released'), slot<number>('released')]),
      is_ended: slot<number>('isEnded'),
    }))
    .where(thisRequest)
    .where('holder', '=', slot('holder')),
)
const isHolder = template(db.selectNoFrom(exists(heldRequest).as('isHolder')))

const sends = db
  .selectFrom('sends')
  .select(['send_id as sendId', 'channel', 'sender as from', 'recipient as to', 'provider_id as providerId'])
  .select(['outcome', 'error', 'at'])
  .where('organization_id', '=', organizationId)

/** The sends of a request of which nothing more is to be expected, or which the present one continues. */
const ofRequest = template(
  sends
    .where(
      isOf(
        same.where(({ eb, or }) =>
          or([eb('is_ended', '=', sql.lit(1)), eb('holder', '=', slot('sendPrefix'))]),
        ),
        sql`''`,
      ),
    )
    .orderBy('send_id'),
)

const list = paged(sends, ['at', 'send_id'], 'desc')

/** With which word the ids of some kind of what follows a submission begin: entries of the outbox, runs, or deliveries to webhooks. */
export type FollowingWord = 'obx' | 'run' | 'whd'

/**
 * Whether an id is of something that follows a submission. Such ids begin with the submission's own id, behind the word
 * for their kind, so they are found by a range: to the character after `_`, which is a backtick.
 */
export function followsSubmission(
  id: Expression<string>,
  word: FollowingWord,
  submissionId: Expression<string>,
): Expression<SqlBool> {
  const start = sql`${sql.lit(`${word}_`)} || ${submissionId}`
  return sql`${id} >= ${start} || '_' and ${id} < ${start} || ${sql.lit('`')}`
}

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

/** The rows of sends, in texts of JSON arrays. */
function sendRows(sends: readonly SendRecord[]): readonly string[] {
  const rows = sends.map(({ sendId, channel, from, to, providerId, outcome, error, at }) =>
    [sendId, channel, from, to, providerId, outcome, error, at].map((value) => value?.toWellFormed() ?? null),
  )
  return jsonChunks(rows)
}

/** The statements that record how sends ended, to be added to a batch. */
export function endStatements(organizationId: string, sends: readonly SendRecord[]): readonly Statement[] {
  return sendRows(sends).map((chunk) => bind(end, { organizationId, sends: chunk }))
}

/** A statement that records one send before it is handed over, if a condition holds. Its values are the condition's. */
export function beginning(
  condition: Expression<SqlBool>,
): (send: SendRecord, values: Readonly<Record<string, BoundValue>>) => readonly Statement[] {
  const begin = recording(told, condition)
  return (send, values) => sendRows([send]).map((sends) => bind(begin, { ...values, sends }))
}

/**
 * A statement that writes an entry for an alert if a condition holds, unless one of its id waits, or something was sent from
 * it: the ids of its sends begin with its own and `-`, which `.` follows. Its values are the condition's.
 */
export function alerting(
  condition: Expression<SqlBool>,
): (alert: Alert, values: Readonly<Record<string, BoundValue>>) => Statement {
  const tell = template(
    () => sql`
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  select ${organizationId}, ${slot('alertId')}, ${slot('about')}, 'alert_email', ${slot('payload')}, ${slot('now')},
    ${slot('now')}, ${slot('now')}
  where ${condition} and not exists (select 1 from sends where organization_id = ${organizationId}
    and send_id >= ${slot('alertId')} || '-' and send_id < ${slot('alertId')} || '.')
  on conflict (organization_id, outbox_id) do nothing`,
  )
  return ({ outboxId, submissionId = '', payload }, values) =>
    bind(tell, { ...values, alertId: outboxId, about: submissionId, payload: JSON.stringify(payload) })
}

const ofSends = expressionBuilder<Database, 'sends'>()
const thisSend = ofSends.and({ organization_id: organizationId, send_id: slot('sendId') })
/** An accepted email, unless the provider's id of it is known to be another one. Where it is not, ours may stand for it. */
const isReturnable = ofSends.and([
  ofSends('channel', '=', sql.lit('email')),
  ofSends('outcome', '=', sql.lit('accepted')),
  sql<SqlBool>`coalesce(provider_id, send_id) in (send_id, ${slot('providerId')})`,
])
const judgeReturn = template(
  db
    .selectFrom('sends')
    .select(['outcome', 'at', isReturnable.as('isReturnable')])
    .where(thisSend),
)
const alertOfReturn = alerting(exists(db.selectFrom('sends').where(thisSend).where(isReturnable)))
const recordReturn = template(
  db
    .updateTable('sends')
    .set({ outcome: sql.lit('failed'), error: slot('error'), provider_id: slot('providerId') })
    .set({ updated_at: recordedAt })
    .where(thisSend)
    .where(isReturnable),
)

/** The log of sends. */
export function createSendLog(guard: Guard): SendLog {
  return {
    open: (owner) => {
      const organizationId = owner ?? OPERATOR
      return openSendLog(guard({ organizationIds: [organizationId] }), organizationId)
    },
  }
}

function openSendLog(executor: Executor, organizationId: string): TenantSendLog {
  return {
    async record(sends) {
      const chunks = sendRows(sends).map((chunk) => bind(record, { organizationId, sends: chunk }))
      const [{ rows }] = await resultsOf(executor, [bind(judge, { organizationId }), ...chunks])
      return rows[0]?.isThere === 1
    },
    claim: (sends, request, now) => claim(executor, organizationId, sends, request, now),
    async end(sends, progress) {
      const endings = endStatements(organizationId, sends)
      if (progress === null) {
        await executor.batch(endings)
        return true
      }
      const values = { organizationId, ...progress, isEnded: progress.isEnded ? 1 : 0 }
      const [held] = await rowsAmong(executor, {
        before: [...endings, bind(move, values)],
        giving: bind(isHolder, values),
      })
      return held?.isHolder === 1
    },
    async takeReturn(email, alert, now) {
      const values = { organizationId, ...email, now }
      const told = alert === null ? [] : [alertOfReturn(alert, values)]
      const [found] = await rowsAmong(executor, {
        before: [],
        giving: bind(judgeReturn, values),
        after: [...told, bind(recordReturn, values)],
      })
      return {
        isRecorded: found?.isReturnable === 1,
        pendingSince: found?.outcome === 'pending' ? found.at : null,
      }
    },
    list: (after, limit) => rowsOf(executor, bind(list, { organizationId, ...(after ?? LATEST), limit })),
    ofSubmission: (submissionId, limit) =>
      rowsOf(executor, bind(following, { organizationId, submissionId, limit })),
  }
}

async function claim(
  executor: Executor,
  organizationId: string,
  sends: readonly SendRecord[],
  request: KeyedRequest,
  now: string,
): Promise<Claim> {
  const values = { organizationId, ...request, now }
  const [found, recorded] = declared<readonly [Statement<RequestRow>, Statement<SendRecord>]>(
    (
      await executor.batch([
        bind(takeKey, values),
        bind(takeOver, values),
        bind(beginAgain, values),
        ...sendRows(sends).map((chunk) => bind(recordOwn, { ...values, sends: chunk })),
        bind(readRequest, values),
        bind(ofRequest, values),
      ])
    ).slice(-2),
  )
  const [row] = found.rows
  if (row === undefined) return { kind: 'gone' }
  if (row.sendPrefix === request.sendPrefix) return { kind: 'taken' }
  return { kind: 'known', request: { ...row, isEnded: row.isEnded === 1 }, sends: recorded.rows }
}

type RequestRow = Omit<KnownRequest, 'isEnded'> & { readonly isEnded: number }
