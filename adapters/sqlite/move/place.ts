import { sql } from 'kysely'
import type { MovedOrganization, MovedTable, MovePlace } from '../../../ports/moves.ts'
import { bind, db, template, slot, nextInstant } from '../statement/compiler.ts'
import { rowsAmong, rowsOf, resultsOf, type Executor } from '../statement/executor.ts'
import { inFamily, isPaused, readMovedTables } from './moved-tables.ts'
import { countRows, findRows, readPages, removedKeys, tuple } from './read-rows.ts'
import { beginTarget, endTarget, finishTarget, reopenTarget, writeTarget } from './target.ts'
import { toInstant } from '../../../domain/text/instant.ts'

/**
 * How a move admits or refuses the requests of others at a place, and removes the rows of a family. The shared database
 * keeps pauses in a table, and its directory decides which families it serves; a family's own database keeps a state.
 * Every method is as in `MovePlace`, and may be repeated.
 */
export interface MoveControl extends Pick<MovePlace, 'pause' | 'seal' | 'resume' | 'close' | 'open'> {
  /** Prepares the place to be filled. */
  begin(): Promise<void>
  /** Lets the place answer reads from the switch on. The record of the filling was ended for this token before. */
  finish(token: string): Promise<void>
  /** Reverses `finish` with this token. */
  reopen(token: string): Promise<void>
  /** Deletes rows of the family: a bounded number, or all at once. True: none are left. */
  empty(familyId: string): Promise<boolean>
}

export interface MovePlaceOptions {
  /** Runs statements on the place in any state, without checking which families it serves. */
  readonly executor: Executor
  readonly control: MoveControl
  /** How many rows one step reads or writes at most. This bounds how long others wait for the database. */
  readonly rowsMax: number
}

const tick = template(
  db
    .updateTable('organizations')
    .set(({ ref }) => ({ clock_at: nextInstant(ref('clock_at')) }))
    .where(inFamily(sql.ref('organization_id'))),
)
const organizations = template(
  db
    .selectFrom('organizations as o')
    .select(['o.organization_id as organizationId', 'o.clock_at as clockAt'])
    .select((eb) =>
      eb
        .selectFrom('restores as r')
        .select('r.restore_id')
        .whereRef('r.organization_id', '=', 'o.organization_id')
        .orderBy('r.started_at', 'desc')
        .limit(sql.lit(1))
        .as('restoreId'),
    )
    .where(inFamily(sql.ref('o.organization_id')))
    .orderBy('o.organization_id'),
)

async function familyOf(
  executor: Executor,
  familyId: string,
  now: string | null,
): Promise<readonly MovedOrganization[]> {
  const read = bind(organizations, { familyId })
  if (now === null) return rowsOf(executor, read)
  return rowsAmong(executor, { before: [bind(tick, { familyId, now })], giving: read })
}

/** A source or target of moves, over one SQLite database. No I/O. */
export function createMovePlace({ executor, control, rowsMax }: MovePlaceOptions): MovePlace {
  let known: Promise<readonly MovedTable[]> | null = null
  const tables = () => readMovedTables(executor)
  return {
    rowsMax,
    tables,
    read: (wanted) => readPages(executor, wanted),
    find: (wanted) => findRows(executor, wanted),
    counts: (counted, organizationIds) => countRows(executor, counted, organizationIds),
    organizations: (familyId, now) => familyOf(executor, familyId, now),
    async removedKeys(removals) {
      if (removals.length === 0) return []
      known ??= tables()
      const table = (await known).find(({ name }) => name === 'removals')
      return table === undefined ? [] : removedKeys(table, removals)
    },
    pause: (familyId, token, untilMs) => control.pause(familyId, token, untilMs),
    seal: (familyId, token) => control.seal(familyId, token),
    resume: (token) => control.resume(token),
    close: () => control.close(),
    async begin(moveId, mover) {
      await control.begin()
      await beginTarget(executor, moveId, mover)
    },
    write: (moveId, mover, changes) => writeTarget(executor, moveId, mover, changes),
    async finish(moveId, mover, token) {
      if (!(await finishTarget(executor, { moveId, mover, token }))) return false
      await control.finish(token)
      return true
    },
    async reopen(moveId, token) {
      await reopenTarget(executor, moveId, token)
      await control.reopen(token)
    },
    open: (token) => control.open(token),
    forget: (moveId) => endTarget(executor, moveId),
    async empty(moveId, familyId) {
      await endTarget(executor, moveId)
      return control.empty(familyId)
    },
  }
}

/**
 * How many rows one step deletes. Each deletion also writes every index of the table, and other organizations wait
 * meanwhile.
 */
const DELETED_MAX = 500

const pause = template(sql`
  insert into write_pauses (organization_id, token, until)
  select o.organization_id, ${slot('token')}, ${slot('until')} from organizations as o
  where ${inFamily(sql.ref('o.organization_id'))}
  on conflict (organization_id) do update set token = excluded.token, until = excluded.until`)

const isStillPaused = template(sql<{ readonly paused: number }>`select ${isPaused} as paused`)

const resume = template(db.deleteFrom('write_pauses').where('token', '=', slot('token')))

/** The organizations of a family that the directory places elsewhere. Their rows here are read by nobody. */
const elsewhere = db
  .selectFrom('placed_organizations')
  .select('organization_id')
  .where('family_id', '=', slot('familyId'))

/**
 * The control of the shared database. It needs neither `finish` nor `close`: the switch of a move changes the
 * directory, which decides which families this database serves, and removes the pauses in the same batch.
 */
export function sharedControl(executor: Executor): MoveControl {
  const nothing = async () => {}
  const end = async (token: string) => {
    await executor.batch([bind(resume, { token })])
  }
  return {
    begin: nothing,
    async pause(familyId, token, untilMs) {
      await executor.batch([bind(pause, { familyId, token, until: toInstant(untilMs) })])
    },
    async seal(familyId, token) {
      return (await rowsOf(executor, bind(isStillPaused, { familyId, token })))[0]?.paused === 1
    },
    resume: end,
    finish: nothing,
    reopen: nothing,
    open: end,
    close: nothing,
    empty: (familyId) => deleteSome(executor, familyId),
  }
}

/**
 * Deletes some rows of the first table that still has any, in the opposite order to that in which tables are written: a
 * row is deleted before those that it counts, so that nothing is counted for it. True: no table has any.
 */
async function deleteSome(executor: Executor, familyId: string): Promise<boolean> {
  const tables = (await readMovedTables(executor)).toReversed()
  const looks = tables.map(({ name }) =>
    bind(
      template(sql<{ readonly has: number }>`select exists (select 1 from ${elsewhere.as('m')}
        cross join ${sql.id(name)} as t on t.organization_id = m.organization_id) as has`),
      { familyId },
    ),
  )
  const found = await resultsOf(executor, looks)
  const table = tables.find((_, index) => found[index]?.rows[0]?.has === 1)
  if (table === undefined) return true
  const key = table.key.map((column) => sql.id('t', column))
  const some = template(sql`
    delete from ${sql.id(table.name)} where ${tuple(table.key.map((column) => sql.id(column)))} in (
      select ${sql.join(key)} from ${elsewhere.as('m')} cross join ${sql.id(table.name)} as t
        on t.organization_id = m.organization_id limit +${slot('limit')})`)
  await executor.batch([bind(some, { familyId, limit: DELETED_MAX })])
  return false
}
