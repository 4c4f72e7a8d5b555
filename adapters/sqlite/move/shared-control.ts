import { sql } from 'kysely'
import { toInstant } from '../../../domain/text/instant.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { inFamily, isPaused } from './family.ts'
import { readMovedTables } from './moved-tables.ts'
import type { MoveControl } from './place.ts'
import { tuple } from './rows.ts'

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
