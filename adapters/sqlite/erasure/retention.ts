import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { KeptKind, RetentionSettings } from '../../../ports/organizations.ts'
import type { DueRetention, Retention, RetentionDirectory } from '../../../ports/organization-store.ts'
import { expectedSettings, unchanged } from '../access/organizations.ts'
import { firstDue, isFailing } from '../placement/coming-due.ts'
import { isPlaced, type Guard } from '../placement/guard.ts'
import {
  atMost,
  bind,
  db,
  eb,
  slot,
  template,
  excluded,
  indexedBy,
  jsonEach,
  one,
  textsOf,
  CONDITION_HELD,
  failsWhen,
  ofOwner,
  advanceClock,
  writtenAt,
  exists,
} from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import type { Database } from '../statement/database.ts'
import { alerting, followsSubmission, type FollowingWord } from '../outbox/send-log.ts'

const organizationId = slot<string>('organizationId')

const find = template(
  db.selectFrom('retention').select(['kind', 'days']).where('organization_id', '=', organizationId),
)
const named = jsonEach<number | null, 's'>(slot('settings'), 's')
const clear = template(
  db
    .deleteFrom('retention')
    .where('organization_id', '=', organizationId)
    .where(
      'kind',
      'in',
      db
        .selectFrom(named)
        .select(({ ref }) => sql<KeptKind>`${ref('s.key')}`.as('kind'))
        .where('s.value', 'is', null),
    ),
)
const isThere = exists(db.selectFrom('organizations').where('organization_id', '=', organizationId))
const judge = template(db.selectNoFrom(isThere.as('isThere')))
const guard = failsWhen(eb.not(unchanged))
const set = template(
  db
    .insertInto('retention')
    .columns(['organization_id', 'kind', 'days', 'due_at'])
    .expression(
      db
        .selectFrom(named)
        .select([organizationId.as('organization_id'), 's.key as kind', 's.value as days'])
        .select(slot('now').as('due_at'))
        .where('s.value', 'is not', null)
        .where(isThere),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'kind']).doUpdateSet(excluded(['days', 'due_at'])),
    ),
)

/** The retention of one organization of a database. */
export function createRetention(executor: Executor, organizationId: string): Retention {
  return {
    async retention() {
      return settingsOf(await rowsOf(executor, bind(find, { organizationId })))
    },
    async setRetention(settings, now, replaced) {
      const values = { organizationId, settings: JSON.stringify(settings), now }
      const expected = expectedSettings(replaced?.organization, replaced?.retention)
      try {
        const [, there, , , found] = await resultsOf(executor, [
          bind(guard, { organization_id: organizationId, ...expected }),
          bind(judge, values),
          bind(clear, values),
          bind(set, values),
          bind(find, values),
        ])
        return there.rows[0]?.isThere === 1
          ? { kind: 'set', retention: settingsOf(found.rows) }
          : { kind: 'missing' }
      } catch (error) {
        if (!CONDITION_HELD.test(String(error))) throw error
        return { kind: 'changed' }
      }
    },
  }
}

function settingsOf(rows: readonly Pick<DueRetention, 'kind' | 'days'>[]): RetentionSettings {
  const days = (kind: DueRetention['kind']) => rows.find((row) => row.kind === kind)?.days ?? null
  return { submissions: days('submissions'), sends: days('sends') }
}

const findDue = template(
  db
    .selectFrom('retention as r')
    .select(['r.organization_id as organizationId', 'r.kind', 'r.days'])
    .where('r.due_at', '<=', slot('now'))
    // An organization whose rows are still here after a move is looked after in its new place.
    .where(({ not, ref }) => not(isPlaced(ref('r.organization_id'))))
    .orderBy('r.due_at')
    .orderBy('r.organization_id')
    .limit(atMost('limit')),
)
const findFailing = template(
  db
    .selectFrom('webhooks as w')
    .where(isFailing)
    .select(['w.organization_id as organizationId', 'w.webhook_id as webhookId', 'w.url'])
    .select(({ ref }) => sql<string>`${ref('w.failing_since')}`.as('failingSince'))
    .where('w.failing_since', '<=', slot<string>('since'))
    .where(({ not, ref }) => not(isPlaced(ref('w.organization_id'))))
    .orderBy('w.failing_since')
    .limit(atMost('limit')),
)
/** An organization that is closed may be deleted at this moment, and must get no row more. */
const stillFails = sql<SqlBool>`exists (select 1 from webhooks as w
  join organizations as o on o.organization_id = w.organization_id
  where w.organization_id = ${organizationId} and w.webhook_id = ${slot('webhookId')} and w.is_on = 1
    and w.failing_since = ${slot('failingSince')})`
/** The change of a webhook that still fails. */
const changeFailing = (change: RawBuilder<unknown>) =>
  template(sql`update webhooks set ${change}
    where organization_id = ${organizationId} and webhook_id = ${slot('webhookId')} and ${stillFails}`)
/** A delivery that failed may have been dropped since, with its submission: then nothing says that the webhook is ill. */
const forgetFailing = changeFailing(sql`failing_since = iif(exists (select 1 from webhook_deliveries as d
  where d.organization_id = ${organizationId} and d.webhook_id = ${slot('webhookId')} and d.status <> 'delivered'
    and d.changed_at >= failing_since and (d.status = 'failed' or d.status = 'waiting' and exists (select 1 from outbox
      where organization_id = ${organizationId} and outbox_id = d.delivery_id))), failing_since, null)`)
const alertOfFailing = alerting(stillFails)
/** The version grows, so that no change of what was read before switches it on again unseen. */
const switchOffFailing = changeFailing(sql`is_on = 0, off_reason = 'failing', version = version + 1`)
const nextDue = template(firstDue)

/** How many rows one step removes. Other organizations of the database wait meanwhile. */
const REMOVED_MAX = 200

const oldSubmissions = template(
  db
    .selectFrom('form_submissions')
    .select('submission_id as id')
    .where('organization_id', '=', organizationId)
    .where('submitted_at', '<', slot('before'))
    .orderBy('submitted_at')
    .orderBy('submission_id')
    .limit(sql.lit(REMOVED_MAX)),
)
const removeSubmissions = template(
  db
    .deleteFrom('form_submissions')
    .where('organization_id', '=', organizationId)
    .where('submission_id', 'in', textsOf(slot('ids'))),
)
const oldSends = db
  .selectFrom('sends')
  .select('send_id')
  .where('organization_id', '=', organizationId)
  .where('at', '<', slot('before'))
  .limit(sql.lit(REMOVED_MAX))
const removeSends = template(
  db
    .deleteFrom('sends')
    .where('organization_id', '=', organizationId)
    .where('send_id', 'in', oldSends)
    .returning(one),
)
const settle = template(
  db
    .updateTable('retention')
    .set({ due_at: slot('next') })
    .where('organization_id', '=', organizationId)
    .where('kind', '=', slot('kind'))
    .where('days', '=', slot('days')),
)
/** A setting that was changed since it was found due is due again by itself, and may keep what this one would not. */
const guardDue = failsWhen(
  eb.not(
    exists(
      db
        .selectFrom('retention')
        .where('organization_id', '=', organizationId)
        .where('kind', '=', slot('kind'))
        .where('days', '=', slot('days')),
    ),
  ),
)
/** Removes the rows of a table whose keys a select names, and gives a row for each. */
const removing = (table: keyof Database, key: string, named: Expression<unknown>) =>
  template(sql<{ readonly one: number }>`delete from ${sql.table(table)}
    where (organization_id, ${sql.ref(key)}) in ${named} returning 1 as one`)
const freeKeys = db
  .selectFrom(indexedBy('send_requests', 'r', 'send_requests_expiry'))
  .select(['r.organization_id', 'r.request_key'])
  .where('r.expires_at', '<=', slot('now'))
  // What is still here after a move is compared with the new place before it goes.
  .where(({ not, ref }) => not(isPlaced(ref('r.organization_id'))))
  .limit(atMost('limit'))
const forgetSendKeys = removing('send_requests', 'request_key', freeKeys)
const oldDeliveries = db
  .selectFrom(indexedBy('webhook_deliveries', 'd', 'webhook_deliveries_expiry'))
  .select(['d.organization_id', 'd.delivery_id'])
  .where('d.expires_at', '<=', slot('now'))
  .where(({ not, ref }) => not(isPlaced(ref('d.organization_id'))))
  .limit(atMost('limit'))
const forgetDeliveries = removing('webhook_deliveries', 'delivery_id', oldDeliveries)
/** There is one row for each form that took something lately, so no index is worth a row written for each submission. */
const oldSigns = db
  .selectFrom('form_signs as s')
  .select(['s.organization_id', 's.form_id'])
  .where('s.expires_at', '<=', slot('now'))
  .where(({ not, ref }) => not(isPlaced(ref('s.organization_id'))))
  .limit(atMost('limit'))
const forgetSigns = removing('form_signs', 'form_id', oldSigns)
const oldRemovals = db
  .selectFrom('organizations as o')
  .crossJoin(indexedBy('removals', 'r', 'removals_updated_at'))
  .select(['r.organization_id', 'r.removal_id'])
  .whereRef('r.organization_id', '=', 'o.organization_id')
  .where('r.updated_at', '<', slot('before'))
  .limit(atMost('limit'))
const forgetRemovals = removing('removals', 'removal_id', oldRemovals)

/** The retention of all organizations of a database. */
export function createRetentionDirectory(executor: Executor, guard: Guard): RetentionDirectory {
  const removed = async (removal: Statement) => (await rowsOf(executor, removal)).length
  return {
    due: (now, limit) => rowsOf(executor, bind(findDue, { now, limit })),
    async nextDue() {
      return (await rowsOf(executor, bind(nextDue, {})))[0]?.at ?? null
    },
    async apply(due, before, now, next) {
      const own = guard({ organizationIds: [due.organizationId] })
      const values = { ...due, before, now, next }
      try {
        const removed =
          due.kind === 'sends' ? await removeOldSends(own, values) : await removeOldSubmissions(own, values)
        if (removed < REMOVED_MAX) await own.batch([bind(settle, values)])
        return removed
      } catch (error) {
        if (!CONDITION_HELD.test(String(error))) throw error
        return 0
      }
    },
    failingWebhooks: (since, limit) => rowsOf(executor, bind(findFailing, { since, limit })),
    async switchOffFailing({ organizationId: of, webhookId, failingSince }, alert, now) {
      const values = { organizationId: of, webhookId, failingSince }
      const own = guard({ organizationIds: [of] })
      const results = await own.batch([
        bind(forgetFailing, values),
        alertOfFailing(alert, { ...values, now }),
        bind(switchOffFailing, values),
      ])
      return (results.at(-1)?.changes ?? 0) > 0
    },
    forgetSendKeys: (now, limit) => removed(bind(forgetSendKeys, { now, limit })),
    forgetDeliveries: (now, limit) => removed(bind(forgetDeliveries, { now, limit })),
    forgetSigns: (now, limit) => removed(bind(forgetSigns, { now, limit })),
    forgetRemovals: (before, limit) => removed(bind(forgetRemovals, { before, limit })),
  }
}

type Applied = DueRetention & { readonly before: string; readonly now: string }

async function removeOldSends(executor: Executor, values: Applied): Promise<number> {
  const [, removed] = await resultsOf(executor, [
    bind(guardDue, { ...values }),
    bind(removeSends, { ...values }),
  ])
  return removed.rows.length
}

async function removeOldSubmissions(executor: Executor, values: Applied): Promise<number> {
  const { organizationId, before, now } = values
  const found = await rowsOf(executor, bind(oldSubmissions, { organizationId, before }))
  if (found.length === 0) return 0
  const ids = JSON.stringify(found.map(({ id }) => id))
  await executor.batch([
    bind(guardDue, { ...values }),
    bind(advanceClock, { organizationId, now }),
    ...dropFollowing(organizationId, ids),
    bind(removeSubmissions, { organizationId, ids }),
  ])
  return found.length
}

/** The tables with rows that follow submissions, and their ids. */
const followers = {
  outbox: 'outbox_id',
  automation_messages: 'message_id',
  automation_runs: 'run_id',
  sends: 'send_id',
} as const satisfies { readonly [Table in keyof Database]?: keyof Database[Table] }

/** The ids of the rows of a table that follow some submissions. */
function idsOf(table: keyof typeof followers): Expression<string> {
  const id = sql.id('t', followers[table])
  const found = (word: FollowingWord) => sql`select ${id} from json_each(${slot('submissionIds')}) as s
    cross join ${sql.table(table)} as t on t.${ofOwner}
      and ${followsSubmission(sql<string>`${id}`, word, sql<string>`s.value`)}`
  // Deliveries to webhooks are entries of the outbox alone.
  const deliveries = table === 'outbox' ? sql`union all ${found('whd')}` : sql``
  return sql`(${found('obx')} union all ${found('run')} ${deliveries})`
}

/**
 * A contact stays when its submission is removed, and so does what webhooks are told of it, in entries whose ids end with
 * `_c` (`write/submission.ts`); not when it is erased.
 */
const dropWork = template(
  db
    .deleteFrom('outbox')
    .where('organization_id', '=', organizationId)
    .where('outbox_id', 'in', idsOf('outbox'))
    .where(sql<SqlBool>`(${slot('isErased')} or substr(outbox_id, -2) <> '_c')`),
)
const dropTurns = template(
  db
    .deleteFrom('automation_messages')
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', idsOf('automation_messages'))
    .where('is_sent', '=', sql.lit(0)),
)
/** A closed organization has no clock. */
const changedAt = sql<string>`coalesce(${writtenAt}, ${slot('closedAt')})`
/** Left to itself, SQLite takes an index that holds the status too, and tests all runs. */
const runsById = indexedBy('automation_runs', 'runs', 'sqlite_autoindex_automation_runs_1')
const cancelRuns = template(
  db
    .updateTable(runsById)
    .set({ status: sql.lit('canceled'), completed_at: changedAt, updated_at: changedAt })
    .where('organization_id', '=', organizationId)
    .where('run_id', 'in', idsOf('automation_runs'))
    .where(({ eb, or }) => or([eb('status', '=', sql.lit('queued')), eb('status', '=', sql.lit('running'))])),
)
const eraseSends = template(
  db
    .updateTable('sends')
    .set({ recipient: sql.lit('erased'), error: sql`null`, updated_at: sql`coalesce(${writtenAt}, '')` })
    .where('organization_id', '=', organizationId)
    .where('send_id', 'in', idsOf('sends'))
    .where('recipient', '<>', sql.lit('erased')),
)

/**
 * The statements that drop what was still to be done because of some submissions. The clock was moved before.
 * @param erased their person is erased, so that nothing is told of the contact either
 */
export function dropFollowing(
  organizationId: string,
  submissionIds: string,
  erased: { readonly closedAt: string | null } | null = null,
): readonly Statement[] {
  const values = {
    organizationId,
    submissionIds,
    isErased: Number(erased !== null),
    closedAt: erased?.closedAt ?? null,
  }
  return [bind(dropWork, values), bind(dropTurns, values), bind(cancelRuns, values)]
}

/** The statement that erases to whom something was sent because of some submissions. */
export function eraseSendsOf(organizationId: string, submissionIds: string): Statement {
  return bind(eraseSends, { organizationId, submissionIds })
}
