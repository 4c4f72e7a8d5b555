import { sql } from 'kysely'
import type { Retention, RetentionDirectory, DueRetention } from '../../../ports/whole/retention.ts'
import { isPlaced } from '../placement/family-row.ts'
import type { Guard } from '../placement/guard.ts'
import { atMost, bind, db, eb, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { indexedBy, jsonEach, one, textsOf } from '../statement/words.ts'
import { advanceClock } from '../write/write-clock.ts'
import { dropFollowing } from './following-work.ts'

const organizationId = slot<string>('organizationId')

const find = template(
  db.selectFrom('retention').select(['kind', 'days']).where('organization_id', '=', organizationId),
)
const clear = template(db.deleteFrom('retention').where('organization_id', '=', organizationId))
const isThere = eb.exists(
  db.selectFrom('organizations').select(one).where('organization_id', '=', organizationId),
)
const judge = template(db.selectNoFrom(isThere.as('isThere')))
const set = template(
  db
    .insertInto('retention')
    .columns(['organization_id', 'kind', 'days', 'due_at'])
    .expression(
      db
        .selectFrom(jsonEach<number | null, 's'>(slot('settings'), 's'))
        .select([organizationId.as('organization_id'), 's.key as kind', 's.value as days'])
        .select(slot('now').as('due_at'))
        .where('s.value', 'is not', null)
        .where(isThere),
    ),
)

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
      const [there] = await resultsOf(executor, [bind(judge, values), bind(clear, values), bind(set, values)])
      return there.rows[0]?.isThere === 1
    },
  }
}

const findDue = template(
  db
    .selectFrom(indexedBy('retention', 'r', 'retention_due'))
    .select(['r.organization_id as organizationId', 'r.kind', 'r.days'])
    .where('r.due_at', '<=', slot('now'))
    // An organization whose rows are still here after a move is looked after in its new place.
    .where(({ not, ref }) => not(isPlaced(ref('r.organization_id'))))
    .orderBy('r.due_at')
    .orderBy('r.organization_id')
    .limit(atMost('limit')),
)
const nextDue = template(
  db.selectFrom('retention').select(({ fn }) => fn.min<string | null>('due_at').as('at')),
)

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
    .where('kind', '=', slot('kind')),
)
const oldRemovals = db
  .selectFrom(indexedBy('removals', 'r', 'removals_kept'))
  .select(['r.organization_id', 'r.removal_id'])
  .where('r.updated_at', '<', slot('before'))
  .limit(atMost('limit'))
const forgetRemovals = template(
  db
    .deleteFrom('removals')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('organization_id', 'removal_id'),
        'in',
        oldRemovals.$asTuple('organization_id', 'removal_id'),
      ),
    )
    .returning(one),
)

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
