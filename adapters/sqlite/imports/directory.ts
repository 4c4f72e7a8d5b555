import { expressionBuilder } from 'kysely'
import type { ImportDirectory } from '../../../ports/import-sessions.ts'
import type { Database } from '../database/database.ts'
import { atMost, bind, db, eb, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { indexedBy, one, rowid } from '../statement/words.ts'
import { isOver } from './session-row.ts'

const untouched = template(
  db
    .selectFrom(indexedBy('import_sessions', 's', 'import_sessions_state'))
    .select(['s.organization_id as organizationId', 's.import_id as importId'])
    .where('s.state', '=', slot('state'))
    .where('s.touched_at', '<=', slot('since'))
    .orderBy('s.touched_at')
    .limit(atMost('limit')),
)

const ended = db.selectFrom('import_sessions as s').where(isOver)
const { exists, or, ref } = expressionBuilder<{ readonly s: Database['import_sessions'] }, 's'>()
const isStaged = or([
  exists(
    db
      .selectFrom('import_chunks as c')
      .select(one)
      .where('c.organization_id', '=', ref('s.organization_id'))
      .where('c.import_id', '=', ref('s.import_id')),
  ),
  exists(
    db
      .selectFrom('import_keys as k')
      .select(one)
      .where('k.organization_id', '=', ref('s.organization_id'))
      .where('k.import_id', '=', ref('s.import_id')),
  ),
])

const withLeftovers = template(
  ended
    .select(['organization_id as organizationId', 'import_id as importId'])
    .where(isStaged)
    .limit(atMost('limit')),
)

const forgotten = ended
  .select(rowid.as('rowid'))
  .where('s.touched_at', '<=', slot('since'))
  .where(eb.not(isStaged))
  .limit(atMost('limit'))
const forget = template(db.deleteFrom('import_sessions').where(rowid, 'in', forgotten))

/** The imports of all organizations. */
export function createImportDirectory(executor: Executor): ImportDirectory {
  return {
    untouched: (state, since, limit) => rowsOf(executor, bind(untouched, { state, since, limit })),
    withLeftovers: (limit) => rowsOf(executor, bind(withLeftovers, { limit })),
    async forget(since, limit) {
      await executor.batch([bind(forget, { since, limit })])
    },
  }
}
