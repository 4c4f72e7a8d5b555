import { sql } from 'kysely'
import type { Deletion } from '../../../ports/whole/deletion.ts'
import { readMovedTables } from '../move/moved-tables.ts'
import { tuple } from '../move/rows.ts'
import { readKnownTriggers } from '../move/silenced.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { advanceClock } from '../write/write-clock.ts'

const owner = sql`organization_id = ${slot('organizationId')}`

/** How many rows one step deletes. Other organizations of the database wait meanwhile. */
const DELETED_MAX = 500

/** What closes an organization while it is deleted; it goes last. */
const CLOSING = 'restores'

const isThere = sql`(exists (select 1 from organizations where ${owner})
  or exists (select 1 from restores where ${owner}))`
const hasChildren = sql`exists (select 1 from organizations where parent_id = ${slot('organizationId')})`
const mayClose = sql`${isThere} and not ${hasChildren}`

const judge = template(sql<{ readonly isThere: number; readonly hasChildren: number }>`
  select ${isThere} as "isThere", ${hasChildren} as "hasChildren"`)

/** An empty archive tells this from a restoration. No archive has that name. */
const close = template(sql`
  insert into restores (organization_id, restore_id, archive, digest, next_part, progress, started_at)
  select ${slot('organizationId')}, 'deletion', '', '', 0, '{}', ${slot('now')} where ${mayClose}
  on conflict (organization_id, restore_id) do nothing`)

const isClosed = sql`exists (select 1 from restores where ${owner} and restore_id = 'deletion')`

const endRestorations = template(sql`
  delete from restores where ${owner} and restore_id <> 'deletion' and ${isClosed}`)

/** The parent no longer reads the reviews, which leaves removals in it. */
const untie = template(sql`update organizations set parent_id = null where ${owner} and ${isClosed}`)
const findParent = template(sql<{ readonly id: string | null }>`
  select parent_id as id from organizations where ${owner}`)
const endKeys = template(sql`delete from api_keys where ${owner} and ${isClosed}`)
/** An import that is being written finds no more to write. */
const endImports = template(sql`delete from import_sessions where ${owner} and ${isClosed}`)
const endOrganization = template(sql`delete from organizations where ${owner} and ${isClosed}`)

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
        bind(untie, values),
        bind(endKeys, values),
        bind(endImports, values),
        bind(endOrganization, values),
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
    bind(
      template(
        sql<{ readonly has: number }>`select exists (select 1 from ${sql.id(name)} where ${owner}) as has`,
      ),
      { organizationId },
    ),
  )
  const found = await resultsOf(executor, looks)
  const table = tables.find((_, index) => found[index]?.rows[0]?.has === 1)
  if (table === undefined) {
    await executor.batch([
      bind(template(sql`delete from ${sql.id(CLOSING)} where ${owner}`), { organizationId }),
    ])
    return null
  }
  const key = sql.join(table.key.map((column) => sql.id(column)))
  const some = template(sql<{ readonly one: number }>`
    delete from ${sql.id(table.name)} where ${tuple(table.key.map((column) => sql.id(column)))} in (
      select ${key} from ${sql.id(table.name)} where ${owner} limit +${slot('limit')}) returning 1 as one`)
  const triggers = await readKnownTriggers(executor, table.name)
  const statement = bind(some, { organizationId, limit: DELETED_MAX })
  const statements = triggers.silenced(table.name, [statement])
  const results = await executor.batch(statements)
  return { table: table.name, rows: results[statements.indexOf(statement)]?.rows.length ?? 0 }
}
