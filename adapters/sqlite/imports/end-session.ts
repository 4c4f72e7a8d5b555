import { sql } from 'kysely'
import type { ImportProblem, ImportSession, ImportState } from '../../../ports/import-sessions.ts'
import { atMost, bind, db, eb, slot, template } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { one, rowid } from '../statement/words.ts'
import { keysInFile } from './file-keys.ts'
import { isIn, isOver, ofSession, sessionColumns, sessionOf, type SessionPlace } from './session-row.ts'

const organizationId = slot<string>('organizationId')

const receiving = db.updateTable('import_sessions').where(ofSession).where(isIn('receiving'))

const end = template(
  receiving
    .set({ state: slot('state'), problems: slot('problems'), reading: sql.lit(''), touched_at: slot('now') })
    .returning(sessionColumns),
)

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

const starting = receiving
  .set(({ ref }) => ({ state: sql<ImportState>`iif(${ref('chunks')} = 0, 'done', 'writing')` }))
  .set({ reading: sql.lit(''), touched_at: slot('now') })
  .returning(sessionColumns)

const start = template(starting)

/** The ids of the session's file. */
const ids = db
  .selectFrom(['import_keys as k', keysInFile])
  .select(one)
  .where('k.organization_id', '=', organizationId)
  .where('k.import_id', '=', slot('importId'))

/**
 * Starts writing forms, whose ids are unique in the whole service. Those ids are checked again, and nothing is started
 * while another organization's import of forms is being written, because that could contain the same ids. Those of
 * families with databases of their own are in `placed_forms`.
 */
const startForms = template(
  [
    db
      .selectFrom('import_sessions as s')
      .select(one)
      .where('s.state', '=', sql.lit('writing'))
      .where('s.kind', '=', slot('kind'))
      .where('s.organization_id', '<>', organizationId),
    ids
      .innerJoin('forms as other', 'other.form_id', 'entry.value')
      .where('other.organization_id', '<>', organizationId),
    ids
      .innerJoin('placed_forms as placed', 'placed.form_id', 'entry.value')
      .where('placed.organization_id', '<>', organizationId),
  ].reduce((query, taken) => query.where(eb.not(eb.exists(taken))), starting),
)

/**
 * Starts writing a session. Null: it is not receiving, or an id that is unique in the whole service is taken.
 * @param serviceWide whether the ids are unique in the whole service, which are those of forms
 */
export async function startSession(
  executor: Executor,
  place: SessionPlace & { readonly kind: string },
  serviceWide: boolean,
  now: string,
): Promise<ImportSession | null> {
  const statement = serviceWide ? startForms : start
  const [row] = await rowsOf(executor, bind(statement, { ...place, now }))
  return row === undefined ? null : sessionOf(row)
}

/** How many rows of each staging table are removed in one step. */
const DROPPED_CHUNKS = 20
const DROPPED_KEYS = 2_000

const isEnded = eb.exists(db.selectFrom('import_sessions').select(one).where(ofSession).where(isOver))

function dropFrom(table: 'import_chunks' | 'import_keys') {
  const some = db.selectFrom(table).select(rowid.as('rowid')).where(ofSession).where(isEnded)
  return template(db.deleteFrom(table).where(rowid, 'in', some.limit(atMost('limit'))))
}
const dropChunks = dropFrom('import_chunks')
const dropKeys = dropFrom('import_keys')
const dropParts = template(db.deleteFrom('import_parts').where(ofSession).where(isEnded))
const look = template(
  db.selectNoFrom(
    eb
      .or([
        eb.exists(db.selectFrom('import_chunks').select(one).where(ofSession)),
        eb.exists(db.selectFrom('import_keys').select(one).where(ofSession)),
      ])
      .as('left'),
  ),
)

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
