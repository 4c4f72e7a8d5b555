import { sql, type Expression, expressionBuilder } from 'kysely'
import type { OutboxRef, OutboxStore, TenantOutbox } from '../../../ports/outbox.ts'
import { bind, db, slot, template, indexedBy, jsonEach, boundedNow } from '../statement/compiler.ts'
import { rowsOf, type Executor, resultsOf } from '../statement/executor.ts'
import { parsed, type JsonText, type Database } from '../statement/database.ts'
import { FIRST, paged } from '../statement/list.ts'
import { aliasesFor } from '../tables.ts'
import { isEntry, isPlaced, type Guard } from '../placement/guard.ts'
import { admit, finishStep, startRun } from './automation.ts'
import { claim, begin, readAgain, settle } from './delivery.ts'

const listed = db
  .selectFrom('outbox')
  .select(aliasesFor(['organizationId', 'outboxId', 'kind', 'submissionId', 'status', 'attempts']))
  .select(aliasesFor(['nextAttemptAt', 'lastError', 'createdAt']))
const listedOfOne = listed.where('organization_id', '=', slot('organizationId'))

const ofAll = paged(listed, ['created_at', 'outbox_id'], 'asc')
const ofOne = paged(listedOfOne, ['created_at', 'outbox_id'], 'asc')

/** The entries that follow a submission, among those whose ids begin with one of the slot `beginnings`. */
const ofSubmission = template(
  listedOfOne
    .where('submission_id', '=', slot('submissionId'))
    .where(
      'outbox_id',
      'in',
      sql<string>`(select e.outbox_id from json_each(${slot('beginnings')}) as b cross join outbox as e
        on e.organization_id = ${slot('organizationId')} and e.outbox_id >= b.value and e.outbox_id < b.value || '~')`,
    )
    .orderBy('created_at')
    .orderBy('outbox_id'),
)

/**
 * How the ids of what follows a submission begin: its own entries, the digest that began with it and the emails in place
 * of that, and alerts, of which there are few. Thousands of others may wait, or have failed.
 */
function beginningsOf(submissionId: string): string {
  const own = ['obx', 'run', 'whd', 'dig', 'obx_dig'].map((word) => `${word}_${submissionId}`)
  return JSON.stringify([...own, 'alr_'])
}

const outbox = expressionBuilder<Database, 'outbox'>()
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
      db.selectFrom('outbox').select('organization_id').where(isEntry).where(isFree),
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
    .where(isEntry)
    .where(isFree),
)
const ownerOf = template(db.selectFrom('outbox').select('organization_id as organizationId').where(isEntry))

/** The outbox: the work that follows receipts and is not yet done. */
export function createOutboxStore(executor: Executor, guard: Guard): OutboxStore {
  return {
    open: (organizationId) => openTenantOutbox(guard({ organizationIds: [organizationId] }), organizationId),

    due: (now, limit) => dueInTurns(executor, now, limit),

    async nextDue() {
      return (await rowsOf(executor, earliestDue))[0]?.dueAt ?? null
    },

    list(organizationId, after, limit) {
      const values = { ...(after ?? FIRST), limit }
      if (organizationId === null) return rowsOf(executor, bind(ofAll, values))
      return rowsOf(guard({ organizationIds: [organizationId] }), bind(ofOne, { organizationId, ...values }))
    },

    // Few requests need it, so it is loaded by itself.
    summaries: async (organizationIds, scope) =>
      (await import('./summary.ts')).summaries(executor, organizationIds, scope),

    ofSubmission: (organizationId, submissionId) =>
      rowsOf(
        guard({ organizationIds: [organizationId] }),
        bind(ofSubmission, { organizationId, submissionId, beginnings: beginningsOf(submissionId) }),
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

/** Pending entries in the order (organization, due time, id). */
const pending = db
  .selectFrom(indexedBy('outbox', 'p', 'outbox_turns'))
  .where('p.status', '=', sql.lit('pending'))

/** The first organization with a pending entry. */
const firstOrganization = pending.select('p.organization_id').orderBy('p.organization_id').limit(sql.lit(1))

/** The ids of an organization's entries that have been due longest, as a JSON array. */
function longestDue(organizationId: Expression<string | null>, count: Expression<number>) {
  const longest = pending
    .select('p.outbox_id')
    .where('p.organization_id', '=', organizationId)
    .where('p.next_attempt_at', '<=', slot('now'))
    .orderBy('p.next_attempt_at')
    .orderBy('p.outbox_id')
    .limit(sql<number>`+${count}`)
  return db
    .selectFrom(longest.as('longest'))
    .select(({ fn }) => fn<JsonText<readonly string[]>>('json_group_array', ['outbox_id']).as('ids'))
    .$asScalar()
}

/**
 * The organizations with pending entries. A recursive query steps through the index from one organization to the next;
 * its last row is null.
 */
const walking = db.withRecursive('walked(organization_id)', (walk) =>
  walk.selectNoFrom(firstOrganization.as('organization_id')).unionAll(
    walk
      .selectFrom('walked')
      .select(({ ref }) =>
        firstOrganization
          .where('p.organization_id', '>', ref('walked.organization_id'))
          .as('organization_id'),
      )
      .where('walked.organization_id', 'is not', null),
  ),
)

/**
 * Divides the limit among the organizations with pending entries. What an organization left behind when it moved to a
 * database of its own is delivered there, and stays here for a day.
 */
const dueOfAll = template(
  walking
    .with(
      (fair) => fair('fair').materialized(),
      (fair) =>
        fair
          .selectFrom('walked')
          .select(({ fn, ref }) =>
            sql<number>`cast(ceil(${slot('limit')} * 1.0 / max(1, ${fn.count(ref('organization_id'))})) as integer)`.as(
              'share',
            ),
          ),
    )
    .selectFrom('walked')
    .select(({ ref, selectFrom }) => {
      const share = selectFrom('fair').select('share')
      return [
        'walked.organization_id as organizationId',
        share.as('share'),
        longestDue(ref('walked.organization_id'), share.$asScalar()).as('outboxIds'),
      ]
    })
    .where('organization_id', 'is not', null)
    .where(({ ref, not }) => not(isPlaced(ref('walked.organization_id'))))
    .$narrowType<{ organizationId: string; share: number }>(),
)

const dueOfThese = template(
  db
    .selectFrom(jsonEach<string, 'asked'>(slot('organizations'), 'asked'))
    .select(({ ref }) => [
      'asked.value as organizationId',
      longestDue(ref('asked.value'), slot<number>('share')).as('outboxIds'),
    ]),
)
/** An organization, and the ids of its entries that have been due longest. */
type QueueRow = NonNullable<typeof dueOfThese.rowType>

const earliest = template(
  walking
    .selectFrom('walked')
    .select(({ fn, ref }) =>
      fn
        .min<string | null>(
          pending
            .select('p.next_attempt_at')
            .where('p.organization_id', '=', ref('walked.organization_id'))
            .orderBy('p.next_attempt_at')
            .limit(sql.lit(1))
            .$asScalar(),
        )
        .as('dueAt'),
    ),
)

/**
 * Reads when the first pending entry is due: one row with that instant, or with null when none is pending. It reads two
 * rows for each organization with pending entries, however many entries each has.
 */
export const earliestDue = bind(earliest, {})

/** The due entries of each organization, longest due first: all of them, or its share. */
type Queues = ReadonlyMap<string, readonly string[]>

/**
 * The entries that are due at `now`, at most `limit`, with the organizations taking turns. No more entries of an
 * organization are read than its share, so many entries of one organization do not slow down the rest. Unused shares go
 * to the organizations with more entries.
 */
export async function dueInTurns(
  executor: Executor,
  now: string,
  limit: number,
): Promise<readonly OutboxRef[]> {
  const rows = await rowsOf(executor, bind(dueOfAll, { now, limit }))
  let share = rows[0]?.share ?? 0
  const queues = new Map(queuesOf(rows))
  for (;;) {
    const rest = limit - total(queues)
    const waiting = [...queues].filter(([, ids]) => ids.length >= share).map(([id]) => id)
    if (rest <= 0 || waiting.length === 0) return inTurns(queues, firstPlace(now, queues.size), limit)
    share += Math.ceil(rest / waiting.length)
    const more = await readQueues(executor, waiting, share, now)
    for (const [organizationId, ids] of more) queues.set(organizationId, ids)
  }
}

async function readQueues(
  executor: Executor,
  organizationIds: readonly string[],
  share: number,
  now: string,
): Promise<Queues> {
  const organizations = JSON.stringify(organizationIds)
  return queuesOf(await rowsOf(executor, bind(dueOfThese, { organizations, share, now })))
}

function queuesOf(rows: readonly QueueRow[]): Queues {
  const queues = rows.map(({ organizationId, outboxIds }): [string, readonly string[]] => [
    organizationId,
    parsed(outboxIds),
  ])
  return new Map(queues.filter(([, ids]) => ids.length > 0))
}

function total(queues: Queues): number {
  return [...queues.values()].reduce((sum, ids) => sum + ids.length, 0)
}

/** A prime number, so that sweeps at any regular interval begin with different organizations. */
const PLACES_A_MINUTE = 7919

/** The index of the organization that has the first turn. It changes every minute. */
function firstPlace(now: string, count: number): number {
  const minute = Math.floor(Date.parse(now) / 60_000)
  return count === 0 ? 0 : (minute * PLACES_A_MINUTE) % count
}

/**
 * The entries in turns: one of each organization, beginning with the organization at index `first`, then a second one
 * of each, and so on.
 */
function inTurns(queues: Queues, first: number, limit: number): readonly OutboxRef[] {
  const ordered = [...queues]
  const placed = [...ordered.slice(first), ...ordered.slice(0, first)]
  const turns = Math.max(0, ...placed.map(([, ids]) => ids.length))
  const refs = Array.from({ length: turns }, (_, turn) =>
    placed.flatMap(([organizationId, ids]) => {
      const outboxId = ids[turn]
      return outboxId === undefined ? [] : [{ organizationId, outboxId }]
    }),
  )
  return refs.flat().slice(0, limit)
}
