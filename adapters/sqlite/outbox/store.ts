import { sql } from 'kysely'
import type {
  ListedEntry,
  OutboxRef,
  OutboxStore,
  TenantOutbox,
} from '../../../ports/messaging/outbox-store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { boundedNow } from '../write/write-clock.ts'
import { admit } from './admit.ts'
import { claim } from './claim.ts'
import { finishStep, startRun } from './runs.ts'
import { settle } from './settle.ts'
import { dueInTurns } from './turns.ts'

const listed = sql`select organization_id as "organizationId", outbox_id as "outboxId", kind,
  submission_id as "submissionId", status, attempts, next_attempt_at as "nextAttemptAt", last_error as "lastError",
  created_at as "createdAt" from outbox`

const oldest = sql`order by created_at, outbox_id limit +${slot('limit')}`
const later = sql`(created_at, outbox_id) > (${slot('createdAt')}, ${slot('outboxId')})`
const ofOne = sql`organization_id = ${slot('organizationId')}`

const firstOfAll = template(sql<ListedEntry>`${listed} ${oldest}`)
const nextOfAll = template(sql<ListedEntry>`${listed} where ${later} ${oldest}`)
const firstOfOne = template(sql<ListedEntry>`${listed} where ${ofOne} ${oldest}`)
const ofSubmission = template(
  sql<ListedEntry>`${listed} where ${ofOne} and submission_id = ${slot('submissionId')} order by created_at, outbox_id`,
)
const nextOfOne = template(sql<ListedEntry>`${listed} where ${ofOne} and ${later} ${oldest}`)

/**
 * The operator names an entry by its id alone, for which there is no index. Looking at every entry is cheap, because
 * the table holds only open ones.
 */
const named = sql`outbox_id = ${slot('outboxId')}`
const free = sql`(status <> 'pending' or coalesce(lease_token, '') = '' or next_attempt_at <= ${boundedNow})`

/** Looking at every entry is cheap, because the table holds only open ones. */
const nextDue = template(sql<{ readonly at: string | null }>`
  select min(next_attempt_at) as at from outbox where status = 'pending'`)

/**
 * Sets apart the messages that an entry has sent already, because it counts its attempts anew: those it sends from now
 * on count besides. The ids of an entry's messages begin with its own and `-`, which `.` follows.
 */
const setApart = template(sql`
  update automation_messages set message_id = message_id || ' before ' || ${boundedNow}
  where organization_id = (select organization_id from outbox where ${named} and ${free})
    and message_id >= ${slot('outboxId')} || '-' and message_id < ${slot('outboxId')} || '.' and is_sent`)

const redrive = template(sql`
  update outbox set status = 'pending', attempts = 0, next_attempt_at = ${boundedNow}, lease_token = null,
    waiting_since = null, updated_at = ${boundedNow}
  where ${named} and ${free}`)
const ownerOf = template(sql<Pick<OutboxRef, 'organizationId'>>`
  select organization_id as "organizationId" from outbox where ${named}`)

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
      const [, driven, found] = await guard({ outboxId }).batch([
        bind(setApart, { outboxId, now }),
        bind(redrive, { outboxId, now }),
        bind(ownerOf, { outboxId }),
      ])
      if ((driven?.changes ?? 0) > 0) return 'driven'
      return found?.rows.length === 0 ? 'missing' : 'leased'
    },
  }
}

function openTenantOutbox(executor: Executor, organizationId: string): TenantOutbox {
  return {
    claim: (outboxId, lease, now) => claim(executor, { organizationId, outboxId }, lease, now),
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
