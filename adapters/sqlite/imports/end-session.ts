import { sql } from '../statement/sql.ts'
import type { ImportProblem, ImportSession } from '../../../ports/import-sessions.ts'
import { bind, name, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { Table } from '../table/tables.ts'
import type { SessionPlace, SessionRow } from './session-row.ts'
import { ofSession, sessionColumns, sessionOf } from './session-row.ts'

const end = template(sql<SessionRow>`
  update import_sessions set state = ${slot('state')}, problems = ${slot('problems')}, touched_at = ${slot('now')}
  where ${ofSession} and state = 'receiving' returning ${sessionColumns}`)

/** Ends a session that is receiving. */
export async function endSession(
  executor: Executor,
  place: SessionPlace,
  state: 'refused' | 'aborted',
  problems: readonly ImportProblem[],
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, state, problems: JSON.stringify(problems), now }
  const [row] = await rowsOf(executor, bind(end, values))
  return row === undefined ? null : sessionOf(row)
}

const started = sql`update import_sessions
  set state = case when chunks = 0 then 'done' else 'writing' end, touched_at = ${slot('now')}
  where ${ofSession} and state = 'receiving'`

const start = template(sql<SessionRow>`${started} returning ${sessionColumns}`)

/**
 * Ids that are unique in the whole service are looked at again in the step that decides, and until they are written no
 * other organization's import of the kind is decided: it could bring the same ids. Such ids are those of forms alone;
 * families with databases of their own hold theirs in `placed_forms`.
 */
function startServiceWide({ name: table, idColumn, ownerColumn }: Table) {
  const owned = name('other', ownerColumn)
  return template(sql<SessionRow>`${started}
    and not exists (select 1 from import_sessions as s where s.state = 'writing' and s.kind = ${slot('kind')}
      and s.organization_id <> ${slot('organizationId')})
    and not exists (select 1 from import_keys as k, json_each(k."keys") as entry
      join ${name(table)} as other on ${name('other', idColumn)} = entry.value
      where k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
        and ${owned} <> ${slot('organizationId')})
    and not exists (select 1 from import_keys as k, json_each(k."keys") as entry
      join placed_forms as placed on placed.form_id = entry.value
      where k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
        and placed.organization_id <> ${slot('organizationId')})
    returning ${sessionColumns}`)
}

/**
 * Decides that a session is written. Null: it is not receiving, or a service-wide id stands in the way.
 * @param serviceWide the table whose ids are unique in the whole service; null: the kind has none
 */
export async function startSession(
  executor: Executor,
  place: SessionPlace & { readonly kind: string },
  serviceWide: Table | null,
  now: string,
): Promise<ImportSession | null> {
  const statement = serviceWide === null ? start : startServiceWide(serviceWide)
  const [row] = await rowsOf(executor, bind(statement, { ...place, now }))
  return row === undefined ? null : sessionOf(row)
}

/** Rows of each staging table that are removed in one step. */
const DROPPED_CHUNKS = 20
const DROPPED_KEYS = 2_000

const isOver = sql`exists (select 1 from import_sessions where ${ofSession} and state in ('done', 'refused', 'aborted'))`

const dropChunks = template(sql`delete from import_chunks where rowid in (
  select rowid from import_chunks where ${ofSession} and ${isOver} limit +${slot('limit')})`)
const dropKeys = template(sql`delete from import_keys where rowid in (
  select rowid from import_keys where ${ofSession} and ${isOver} limit +${slot('limit')})`)
const dropParts = template(sql`delete from import_parts where ${ofSession} and ${isOver}`)
const look = template(sql<{ readonly left: number }>`select
  exists (select 1 from import_chunks where ${ofSession}) or exists (select 1 from import_keys where ${ofSession}) as "left"`)

/** Removes some of what is staged for a session that is over. False: nothing is left. */
export async function dropStaged(executor: Executor, place: SessionPlace): Promise<boolean> {
  const results = await resultsOf(executor, [
    bind(dropChunks, { ...place, limit: DROPPED_CHUNKS }),
    bind(dropKeys, { ...place, limit: DROPPED_KEYS }),
    bind(dropParts, { ...place }),
    bind(look, { ...place }),
  ])
  return results[3].rows[0]?.left === 1
}
