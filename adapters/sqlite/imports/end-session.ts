import { sql } from 'kysely'
import type { ImportProblem, ImportSession } from '../../../ports/records/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import type { Table } from '../table/tables.ts'
import type { SessionPlace, SessionRow } from './session-row.ts'
import { isOver, ofSession, sessionColumns, sessionOf } from './session-row.ts'

const end = template(sql<SessionRow>`
  update import_sessions set state = ${slot('state')}, problems = ${slot('problems')}, reading = '',
    touched_at = ${slot('now')}
  where ${ofSession} and state = 'receiving' returning ${sessionColumns}`)

/** Ends a session that is receiving. Null: it is not. */
export async function endSession(
  executor: Executor,
  place: SessionPlace,
  state: 'checked' | 'refused' | 'aborted',
  problems: readonly ImportProblem[],
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, state, problems: JSON.stringify(problems), now }
  const [row] = await rowsOf(executor, bind(end, values))
  return row === undefined ? null : sessionOf(row)
}

const started = sql`update import_sessions
  set state = case when chunks = 0 then 'done' else 'writing' end, reading = '', touched_at = ${slot('now')}
  where ${ofSession} and state = 'receiving'`

const start = template(sql<SessionRow>`${started} returning ${sessionColumns}`)

/**
 * The statement that starts writing, for a kind whose ids are unique in the whole service. It checks those ids again,
 * and refuses while an import of the same kind by another organization is being written, because that import could
 * contain the same ids. Only forms have such ids; those of families with databases of their own are in `placed_forms`.
 */
function startServiceWide({ name: table, idColumn, ownerColumn }: Table) {
  const owned = sql.id('other', ownerColumn)
  return template(sql<SessionRow>`${started}
    and not exists (select 1 from import_sessions as s where s.state = 'writing' and s.kind = ${slot('kind')}
      and s.organization_id <> ${slot('organizationId')})
    and not exists (select 1 from import_keys as k, json_each(k."keys") as entry
      join ${sql.id(table)} as other on ${sql.id('other', idColumn)} = entry.value
      where k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
        and ${owned} <> ${slot('organizationId')})
    and not exists (select 1 from import_keys as k, json_each(k."keys") as entry
      join placed_forms as placed on placed.form_id = entry.value
      where k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
        and placed.organization_id <> ${slot('organizationId')})
    returning ${sessionColumns}`)
}

/**
 * Starts writing a session. Null: it is not receiving, or an id that is unique in the whole service is taken.
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

/** How many rows of each staging table are removed in one step. */
const DROPPED_CHUNKS = 20
const DROPPED_KEYS = 2_000

const isEnded = sql`exists (select 1 from import_sessions where ${ofSession} and ${isOver})`

const dropChunks = template(sql`delete from import_chunks where rowid in (
  select rowid from import_chunks where ${ofSession} and ${isEnded} limit +${slot('limit')})`)
const dropKeys = template(sql`delete from import_keys where rowid in (
  select rowid from import_keys where ${ofSession} and ${isEnded} limit +${slot('limit')})`)
const dropParts = template(sql`delete from import_parts where ${ofSession} and ${isEnded}`)
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
