import { sql } from 'kysely'
import type { ImportDirectory, ImportRef } from '../../../ports/records/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { isOver } from './session-row.ts'

const untouched = template(sql<ImportRef>`
  select organization_id as "organizationId", import_id as "importId"
  from import_sessions indexed by import_sessions_state
  where state = ${slot('state')} and touched_at <= ${slot('since')} order by touched_at limit +${slot('limit')}`)

const staged = sql`(exists (select 1 from import_chunks as c
    where c.organization_id = s.organization_id and c.import_id = s.import_id)
  or exists (select 1 from import_keys as k
    where k.organization_id = s.organization_id and k.import_id = s.import_id))`

const withLeftovers = template(sql<ImportRef>`
  select organization_id as "organizationId", import_id as "importId" from import_sessions as s
  where ${isOver} and ${staged} limit +${slot('limit')}`)

const forget = template(sql`
  delete from import_sessions where rowid in (select s.rowid from import_sessions as s
    where ${isOver} and s.touched_at <= ${slot('since')} and not ${staged} limit +${slot('limit')})`)

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
