import { sql } from 'kysely'
import { toInstant } from '../../../domain/text/instant.ts'
import type { MovedTable } from '../../../ports/placement/move.ts'
import { glob, one } from '../statement/words.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import type { MoveControl } from './control.ts'
import { forgetMove } from './forget.ts'
import { stopJournal } from './journal.ts'
import { readMovedTables } from './moved-tables.ts'
import { tuple } from './rows.ts'
import { readKnownTriggers } from './silenced.ts'
import { clearTarget } from './target.ts'

/**
 * How many rows one step deletes. Each deletion also writes every index of the table, and other organizations wait
 * meanwhile.
 */
const DELETED_MAX = 500

const ofMove = db
  .selectFrom('move_organizations as m')
  .select('m.organization_id as id')
  .where('m.move_id', '=', slot('moveId'))

const pause = template(
  db
    .insertInto('write_pauses')
    .columns(['organization_id', 'token', 'until'])
    .expression(ofMove.select([slot('token').as('token'), slot('until').as('until')]))
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet(({ ref }) => ({ token: ref('excluded.token'), until: ref('excluded.until') })),
    ),
)

const readUnpaused = template(
  ofMove
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('write_pauses as w')
            .select(one)
            .whereRef('w.organization_id', '=', 'm.organization_id')
            .where('w.token', '=', slot('token')),
        ),
      ),
    )
    .limit(sql.lit(1)),
)

const resume = template(db.deleteFrom('write_pauses').where('token', '=', slot('token')))

/** The organizations of the move that the directory places elsewhere. Their rows here are no longer read by anyone. */
const elsewhere = db
  .selectFrom('move_organizations as m')
  .innerJoin('placed_organizations as p', 'p.organization_id', 'm.organization_id')
  .select('m.organization_id')
  .where(({ ref }) => glob(ref('m.move_id'), slot('pattern')))

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
    async pause(journalId, token, untilMs) {
      await executor.batch([bind(pause, { moveId: journalId, token, until: toInstant(untilMs) })])
    },
    async seal(journalId, token) {
      return (await rowsOf(executor, bind(readUnpaused, { moveId: journalId, token }))).length === 0
    },
    resume: end,
    finish: nothing,
    reopen: nothing,
    open: end,
    close: nothing,
    async empty(moveId) {
      await stopJournal(executor, moveId, { isForgotten: false })
      await clearTarget(executor, moveId)
      return deleteSome(executor, moveId, await readMovedTables(executor))
    },
  }
}

/** Deletes some rows of the first table that still has any. True: no table has. */
async function deleteSome(
  executor: Executor,
  moveId: string,
  tables: readonly MovedTable[],
): Promise<boolean> {
  const pattern = `${moveId}*`
  const looks = tables.map((table) =>
    bind(
      template(sql<{ readonly has: number }>`select exists (select 1 from ${elsewhere} as m
        cross join ${sql.id(table.name)} as t on t.organization_id = m.organization_id) as has`),
      { pattern },
    ),
  )
  const found = await resultsOf(executor, looks)
  const table = tables.find((_, index) => found[index]?.rows[0]?.has === 1)
  if (table === undefined) {
    await forgetMove(executor, moveId)
    return true
  }
  const key = table.key.map((column) => sql.id('t', column))
  const some = template(sql`
    delete from ${sql.id(table.name)} where ${tuple(table.key.map((column) => sql.id(column)))} in (
      select ${sql.join(key)} from ${elsewhere} as m cross join ${sql.id(table.name)} as t
        on t.organization_id = m.organization_id limit +${slot('limit')})`)
  const triggers = await readKnownTriggers(executor)
  await executor.batch(triggers.silenced(table.name, [bind(some, { pattern, limit: DELETED_MAX })]))
  return false
}
