import { sql } from 'kysely'
import type { Deletion } from '../../../ports/erasure.ts'
import { readMovedTables } from '../move/moved-tables.ts'
import { tuple } from '../move/rows.ts'
import { atMost, bind, db, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor } from '../statement/executor.ts'
import { ofOwner, one } from '../statement/words.ts'
import { advanceClock } from '../write/write-clock.ts'
import { closing, hasRows } from './begin.ts'
import { readKnownTriggers } from './silenced.ts'

const organizationId = slot<string>('organizationId')

/** How many rows one step deletes. Other organizations of the database wait meanwhile. */
const DELETED_MAX = 500

/** What closes an organization while it is deleted; it goes last. */
const CLOSING = 'restores'

const thisOne = db.selectFrom('organizations').where('organization_id', '=', organizationId)
const isThere = eb.or([
  eb.exists(thisOne.select(one)),
  eb.exists(db.selectFrom('restores').select(one).where('organization_id', '=', organizationId)),
])
const hasChildren = eb.exists(
  db.selectFrom('organizations').select(one).where('parent_id', '=', organizationId),
)

const judge = template(db.selectNoFrom([isThere.as('isThere'), hasChildren.as('hasChildren')]))

/** An empty archive tells this from a restoration. No archive has that name. */
const deletion = {
  restore_id: sql.lit('deletion'),
  archive: sql.lit(''),
  digest: sql.lit(''),
  next_part: sql.lit(0),
  progress: sql.lit('{}'),
  started_at: slot('now'),
}
const close = template(
  closing(deletion, eb.and([isThere, eb.not(hasChildren)])).onConflict((conflict) =>
    conflict.columns(['organization_id', 'restore_id']).doNothing(),
  ),
)

const isClosed = eb.exists(
  db
    .selectFrom('restores')
    .select(one)
    .where('organization_id', '=', organizationId)
    .where('restore_id', '=', deletion.restore_id),
)

/** The parent no longer reads the reviews, which leaves removals in it. */
const untie = db.updateTable('organizations').set({ parent_id: sql`null` })

/** In this order. An import that is being written finds no more to write. */
const ends = [
  untie.where('organization_id', '=', organizationId).where(isClosed),
  ...(['api_keys', 'import_sessions', 'organizations'] as const).map((table) =>
    db.deleteFrom(table).where('organization_id', '=', organizationId).where(isClosed),
  ),
].map((end) => template<unknown>(end))

const ofRestores = db.deleteFrom(CLOSING).where('organization_id', '=', organizationId)
const endRestorations = template(ofRestores.where('restore_id', '<>', deletion.restore_id).where(isClosed))
const reopen = template(ofRestores)
const findParent = template(thisOne.select('parent_id as id'))

/** Deletes one organization of a database. */
export function createDeletion(executor: Executor, organizationId: string): Deletion {
  return {
    async beginDeletion(now) {
      const values = { organizationId, now }
      const [parent] = await resultsOf(executor, [bind(findParent, values)])
      const [judgement] = await resultsOf(executor, [
        bind(judge, values),
        bind(close, values),
        bind(endRestorations, values),
        bind(advanceClock, { organizationId: parent.rows[0]?.id ?? null, now }),
        ...ends.map((end) => bind(end, values)),
      ])
      const [row] = judgement.rows
      if (row?.hasChildren === 1) return 'has_children'
      return row?.isThere === 1 ? 'begun' : 'unknown'
    },
    deleteSome: () => deleteSome(executor, organizationId),
  }
}

async function deleteSome(executor: Executor, organizationId: string) {
  const tables = (await readMovedTables(executor)).filter(({ name }) => name !== CLOSING)
  const looks = tables.map(({ name }) =>
    bind(template(db.selectNoFrom(hasRows(name).as('has'))), { organizationId }),
  )
  const found = await resultsOf(executor, looks)
  const table = tables.find((_, index) => found[index]?.rows[0]?.has === 1)
  if (table === undefined) {
    await executor.batch([bind(reopen, { organizationId })])
    return null
  }
  const key = sql.join(table.key.map((column) => sql.id(column)))
  const some = template(sql<{ readonly one: number }>`
    delete from ${sql.id(table.name)} where ${tuple(table.key.map((column) => sql.id(column)))} in (
      select ${key} from ${sql.id(table.name)} where ${ofOwner} limit ${atMost('limit')}) returning 1 as one`)
  const triggers = await readKnownTriggers(executor, table.name)
  const statement = bind(some, { organizationId, limit: DELETED_MAX })
  const statements = triggers.silenced(table.name, [statement])
  const results = await executor.batch(statements)
  return { table: table.name, rows: results[statements.indexOf(statement)]?.rows.length ?? 0 }
}
