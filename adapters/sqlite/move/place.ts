import { sql } from 'kysely'
import type { MovedOrganization, MovedTable, MovePlace } from '../../../ports/placement/move.ts'
import { bind, db, template } from '../statement/compiler.ts'
import { rowsAmong, rowsOf, type Executor } from '../statement/executor.ts'
import { nextInstant } from '../write/write-clock.ts'
import { inFamily } from './family.ts'
import { readMovedTables } from './moved-tables.ts'
import { countRows, findRows, readPages, removedKeys } from './read-rows.ts'
import { beginTarget, endTarget, finishTarget, reopenTarget, writeTarget } from './target.ts'

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
