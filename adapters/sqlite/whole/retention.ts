import { sql } from 'kysely'
import type { Retention, RetentionDirectory, DueRetention } from '../../../ports/whole/retention.ts'
import { isPlaced } from '../placement/family-row.ts'
import type { Guard } from '../placement/guard.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { advanceClock } from '../write/write-clock.ts'
import { dropFollowing } from './following-work.ts'

const owner = sql`organization_id = ${slot('organizationId')}`

const find = template(
  sql<Pick<DueRetention, 'kind' | 'days'>>`select kind, days from retention where ${owner}`,
)
const clear = template(sql`delete from retention where ${owner}`)
const set = template(sql`
  insert into retention (organization_id, kind, days, due_at)
  select ${slot('organizationId')}, s.key, s.value, ${slot('now')} from json_each(${slot('settings')}) as s
  where s.value is not null and exists (select 1 from organizations where ${owner})`)
const isThere = template(sql<{ readonly isThere: number }>`
  select exists (select 1 from organizations where ${owner}) as "isThere"`)

/** The retention of one organization of a database. */
export function createRetention(executor: Executor, organizationId: string): Retention {
  return {
    async retention() {
      const rows = await rowsOf(executor, bind(find, { organizationId }))
      const days = (kind: DueRetention['kind']) => rows.find((row) => row.kind === kind)?.days ?? null
      return { submissions: days('submissions'), sends: days('sends') }
    },
    async setRetention(settings, now) {
      const values = { organizationId, settings: JSON.stringify(settings), now }
      const [there] = await resultsOf(executor, [
        bind(isThere, values),
        bind(clear, values),
        bind(set, values),
      ])
      return there.rows[0]?.isThere === 1
    },
  }
}

/** An organization whose rows are still here after a move is looked after in its new place. */
const isHere = sql`not ${isPlaced(sql`retention.organization_id`)}`
const findDue = template(sql<DueRetention>`
  select organization_id as "organizationId", kind, days from retention indexed by retention_due
  where due_at <= ${slot('now')} and ${isHere} order by due_at, organization_id limit +${slot('limit')}`)
const nextDue = template(sql<{ readonly at: string | null }>`select min(due_at) as at from retention`)

/** How many rows one step removes. Other organizations of the database wait meanwhile. */
const REMOVED_MAX = 200

const oldSubmissions = template(sql<{ readonly id: string }>`
  select submission_id as id from form_submissions where ${owner} and submitted_at < ${slot('before')}
  order by submitted_at, submission_id limit ${sql.lit(REMOVED_MAX)}`)
const removeSubmissions = template(sql`
  delete from form_submissions where ${owner} and submission_id in (select value from json_each(${slot('ids')}))`)
const removeSends = template(sql<{ readonly one: number }>`
  delete from sends where ${owner} and send_id in (select send_id from sends
    where ${owner} and at < ${slot('before')} limit ${sql.lit(REMOVED_MAX)}) returning 1 as one`)
const settle = template(sql`
  update retention set due_at = ${slot('next')} where ${owner} and kind = ${slot('kind')}`)
const forgetRemovals = template(sql<{ readonly one: number }>`
  delete from removals where (organization_id, removal_id) in (
    select organization_id, removal_id from removals indexed by removals_kept
    where updated_at < ${slot('before')} limit +${slot('limit')}) returning 1 as one`)

/** The retention of all organizations of a database. */
export function createRetentionDirectory(executor: Executor, guard: Guard): RetentionDirectory {
  return {
    due: (now, limit) => rowsOf(executor, bind(findDue, { now, limit })),
    async nextDue() {
      return (await rowsOf(executor, bind(nextDue, {})))[0]?.at ?? null
    },
    async apply({ organizationId, kind }, before, now, next) {
      const own = guard({ organizationIds: [organizationId] })
      const removed =
        kind === 'sends'
          ? (await rowsOf(own, bind(removeSends, { organizationId, before }))).length
          : await removeOldSubmissions(own, organizationId, before, now)
      if (removed < REMOVED_MAX) await own.batch([bind(settle, { organizationId, kind, next })])
      return removed
    },
    async forgetRemovals(before, limit) {
      return (await rowsOf(executor, bind(forgetRemovals, { before, limit }))).length
    },
  }
}

async function removeOldSubmissions(executor: Executor, organizationId: string, before: string, now: string) {
  const found = await rowsOf(executor, bind(oldSubmissions, { organizationId, before }))
  if (found.length === 0) return 0
  const ids = JSON.stringify(found.map(({ id }) => id))
  await executor.batch([
    bind(advanceClock, { organizationId, now }),
    ...dropFollowing(organizationId, ids),
    bind(removeSubmissions, { organizationId, ids }),
  ])
  return found.length
}
