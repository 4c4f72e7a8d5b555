import { expressionBuilder, sql } from 'kysely'
import type { OutboxStore, TenantOutbox } from '../../../ports/messaging.ts'
import type { Database } from '../statement/database.ts'
import { atMost, bind, db, slot, template, boundedNow } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { admit, finishStep, startRun } from './automation.ts'
import { claim, begin, readAgain, settle } from './delivery.ts'
import { dueInTurns } from './turns.ts'

const listed = db
  .selectFrom('outbox')
  .select(['organization_id as organizationId', 'outbox_id as outboxId', 'kind'])
  .select(['submission_id as submissionId', 'status', 'attempts', 'next_attempt_at as nextAttemptAt'])
  .select(['last_error as lastError', 'created_at as createdAt'])
  .orderBy('created_at')
  .orderBy('outbox_id')
const listedAfter = listed.where(({ eb, refTuple, tuple }) =>
  eb(refTuple('created_at', 'outbox_id'), '>', tuple(slot<string>('createdAt'), slot<string>('outboxId'))),
)

const ofOne = (entries: typeof listed) => entries.where('organization_id', '=', slot('organizationId'))
const some = (entries: typeof listed) => template(entries.limit(atMost('limit')))

const firstOfAll = some(listed)
const nextOfAll = some(listedAfter)
const firstOfOne = some(ofOne(listed))
const nextOfOne = some(ofOne(listedAfter))
const ofSubmission = template(ofOne(listed).where('submission_id', '=', slot('submissionId')))

/** Looking at every entry is cheap, because the table holds only open ones. */
const nextDue = template(
  db
    .selectFrom('outbox')
    .select(({ fn }) => fn.min<string | null>('next_attempt_at').as('at'))
    .where('status', '=', sql.lit('pending')),
)

/**
 * The operator names an entry by its id alone, for which there is no index. Looking at every entry is cheap, because
 * the table holds only open ones.
 */
const outbox = expressionBuilder<Database, 'outbox'>()
const named = outbox('outbox_id', '=', slot('outboxId'))
const isFree = outbox.or([
  outbox('status', '<>', sql.lit('pending')),
  outbox(outbox.fn.coalesce('lease_token', sql.lit('')), '=', sql.lit('')),
  outbox('next_attempt_at', '<=', boundedNow),
])

/**
 * Sets apart the messages that an entry has sent already, because it counts its attempts anew: those it sends from now
 * on count besides. The ids of an entry's messages begin with its own and `-`, which `.` follows.
 */
const setApart = template(
  db
    .updateTable('automation_messages')
    .set(({ ref }) => ({ message_id: sql<string>`${ref('message_id')} || ' before ' || ${boundedNow}` }))
    .where(
      'organization_id',
      '=',
      db.selectFrom('outbox').select('organization_id').where(named).where(isFree),
    )
    .where('message_id', '>=', sql<string>`${slot('outboxId')} || '-'`)
    .where('message_id', '<', sql<string>`${slot('outboxId')} || '.'`)
    .where('is_sent', '=', sql.lit(1)),
)

const redrive = template(
  db
    .updateTable('outbox')
    .set({ status: sql.lit('pending'), attempts: sql.lit(0), next_attempt_at: boundedNow })
    .set({ lease_token: sql`null`, waiting_since: sql`null`, updated_at: boundedNow })
    .where(named)
    .where(isFree),
)
const ownerOf = template(db.selectFrom('outbox').select('organization_id as organizationId').where(named))

/** The outbox: the work that follows receipts and is not yet done. */
export function createOutboxStore(executor: Executor, guard: Guard): OutboxStore {
  return {
    open: (organizationId) => openTenantOutbox(guard({ organizationIds: [organizationId] }), organizationId),

    due: (now, limit) => dueInTurns(executor, now, limit),

    async nextDue() {
      const [next] = await rowsOf(executor, bind(nextDue, {}))
      return next?.at ?? null
    },

    list(organizationId, after, limit) {
      if (organizationId === null) {
        const statement = after === null ? bind(firstOfAll, { limit }) : bind(nextOfAll, { ...after, limit })
        return rowsOf(executor, statement)
      }
      const values = { organizationId, limit }
      const statement = after === null ? bind(firstOfOne, values) : bind(nextOfOne, { ...after, ...values })
      return rowsOf(guard({ organizationIds: [organizationId] }), statement)
    },

    // Few requests need it, so it is loaded by itself.
    summaries: async (organizationIds, scope) =>
      (await import('./summary.ts')).summaries(executor, organizationIds, scope),

    ofSubmission: (organizationId, submissionId) =>
      rowsOf(
        guard({ organizationIds: [organizationId] }),
        bind(ofSubmission, { organizationId, submissionId }),
      ),

    async ownerOf(outboxId) {
      const [found] = await rowsOf(executor, bind(ownerOf, { outboxId }))
      return found?.organizationId ?? null
    },

    async redrive(outboxId, now) {
      const [, driven, found] = await resultsOf(guard({ outboxId }), [
        bind(setApart, { outboxId, now }),
        bind(redrive, { outboxId, now }),
        bind(ownerOf, { outboxId }),
      ])
      if (driven.changes > 0) return 'driven'
      return found.rows.length === 0 ? 'missing' : 'leased'
    },
  }
}

function openTenantOutbox(executor: Executor, organizationId: string): TenantOutbox {
  return {
    claim: (outboxId, lease, now) => claim(executor, { organizationId, outboxId }, lease, now),
    readAgain: (outboxId, token) => readAgain(executor, { organizationId, outboxId, token }),
    begin: (outboxId, token, send) => begin(executor, { organizationId, outboxId, token }, send),
    settle: (outboxId, token, settlement, now) =>
      settle(executor, { organizationId, outboxId, token }, settlement, now),
    startRun: (outboxId, token, automationId, contactId, now) =>
      startRun(executor, { organizationId, outboxId, token }, { automationId, contactId }, now),
    admit: (outboxId, token, message, now) =>
      admit(executor, { organizationId, outboxId, token }, message, now),
    finishStep: (token, step, now) =>
      finishStep(executor, { organizationId, outboxId: step.runId, token }, step, now),
  }
}
