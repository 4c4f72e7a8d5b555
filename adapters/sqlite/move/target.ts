import { sql, type Expression } from 'kysely'
import type {
  MovedRow,
  MovedTable,
  TableChanges,
  TargetState,
  WriteOutcome,
} from '../../../ports/placement/move.ts'
import { utf8Length } from '../../../domain/text/encoding.ts'
import { bind, db, eb, slot, template, type Template } from '../statement/compiler.ts'
import { jsonEach, one } from '../statement/words.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { CHUNK_BYTES_MAX, jsonChunks } from '../statement/json-chunks.ts'
import { templateCache } from '../../sql/statement.ts'
import { CONDITION_HELD, failsWhen } from '../write/fail-when.ts'
import { keyValues, tuple } from './rows.ts'
import { OTHER_TRIGGERS, type KnownTriggers } from './silenced.ts'

const begin = template(
  db
    .insertInto('move_targets')
    .values({ move_id: slot('moveId'), version: sql.lit(1), progress: slot('progress') })
    .onConflict((conflict) =>
      conflict
        .column('move_id')
        .doUpdateSet(({ eb, ref }) => ({
          version: eb('move_targets.version', '+', sql.lit(1)),
          progress: ref('excluded.progress'),
        }))
        .where('move_targets.finished_by', 'is', null),
    ),
)

const ofMove = db.selectFrom('move_targets').where('move_id', '=', slot('moveId'))

const readState = template(ofMove.select(['version', 'progress', 'finished_by as finishedBy']))

const current = ofMove.select(one).where('version', '=', slot('version')).where('finished_by', 'is', null)
const guardVersion = failsWhen(eb.not(eb.exists(current)))

/** Every change of a target makes a new version of it. */
const change = db
  .updateTable('move_targets')
  .set(({ eb }) => ({ version: eb('version', '+', sql.lit(1)) }))
  .where('move_id', '=', slot('moveId'))
const changeOfCurrent = change.where('version', '=', slot('version')).where('finished_by', 'is', null)

const advance = template(changeOfCurrent.set({ progress: slot('progress') }))

const finish = template(changeOfCurrent.set({ finished_by: slot('token') }).returning('version'))

const reopen = template(change.set({ finished_by: sql`null` }).where('finished_by', '=', slot('token')))

const clear = template(change.set({ finished_by: sql.lit('cleared') }))

/** Starts to fill a target. */
export async function beginTarget(executor: Executor, moveId: string, progress: string): Promise<void> {
  await executor.batch([bind(begin, { moveId, progress })])
}

/** How far a target has been filled; null: nothing is known of the move here. */
export async function targetState(executor: Executor, moveId: string): Promise<TargetState | null> {
  const [state] = await rowsOf(executor, bind(readState, { moveId }))
  return state ?? null
}

/** Ends the filling, before an attempt to switch. False: the version is no longer current. */
export async function finishTarget(
  executor: Executor,
  values: { readonly moveId: string; readonly version: number; readonly token: string },
): Promise<boolean> {
  return (await rowsOf(executor, bind(finish, values))).length === 1
}

/** Allows filling again, after an attempt to switch failed. */
export async function reopenTarget(executor: Executor, moveId: string, token: string): Promise<void> {
  await executor.batch([bind(reopen, { moveId, token })])
}

/** Ends filling for good. */
export async function clearTarget(executor: Executor, moveId: string): Promise<void> {
  await executor.batch([bind(clear, { moveId })])
}

const deletes = templateCache<Template>()
const inserts = templateCache<Template>()

/** The statement that deletes rows by a JSON array of their keys. */
function deleteTemplate({ name: table, key }: MovedTable): Template {
  return deletes(JSON.stringify([table, key]), () => {
    const values = key.map((_, index) => sql`value ->> ${sql.lit(index)}`)
    return template(sql`
      delete from ${sql.id(table)} where ${tuple(key.map((column) => sql.id(column)))} in (
        select ${sql.join(values)} from json_each(${slot('keys')}))`)
  })
}

/** What an insert does with a row whose key is there already. */
type Present = 'fails' | 'stays'

function ifPresent({ key }: MovedTable, present: Present): Expression<unknown> {
  // Only the key is named: another value that must be unique still fails.
  return present === 'fails'
    ? sql``
    : sql`on conflict (${sql.join(key.map((column) => sql.id(column)))}) do nothing`
}

/** The statement that inserts rows from a JSON array of their values. */
function insertTemplate(table: MovedTable, present: Present): Template {
  return inserts(JSON.stringify([table, present]), () => {
    const values = table.columns.map((_, index) => sql`value ->> ${sql.lit(index)}`)
    return template(sql`
      insert into ${sql.id(table.name)} (${sql.join(table.columns.map((column) => sql.id(column)))})
      select ${sql.join(values)} from json_each(${slot('rows')}) where true ${ifPresent(table, present)}`)
  })
}

/** The statement that inserts one row, with each value as its own parameter. */
function insertOneTemplate(table: MovedTable, present: Present): Template {
  return inserts(JSON.stringify([table, present, 'one']), () => {
    const values = table.columns.map((_, index) => slot(`value${index}`))
    return template(sql`
      insert into ${sql.id(table.name)} (${sql.join(table.columns.map((column) => sql.id(column)))})
      values (${sql.join(values)}) ${ifPresent(table, present)}`)
  })
}

/** The maximum size of a row that is sent together with others in one parameter, in bytes. */
const JSON_BYTES_MAX = CHUNK_BYTES_MAX

/**
 * Whether a row needs a statement of its own: it is large, or contains a NUL character, at which some versions of
 * SQLite end a text.
 */
function isAlone(row: MovedRow): boolean {
  const text = JSON.stringify(row)
  return text.includes('\\u0000') || utf8Length(text) > JSON_BYTES_MAX
}

function changeStatements({ table, deletes: gone, inserts: rows }: TableChanges): readonly Statement[] {
  return [
    ...jsonChunks(gone).map((keys) => bind(deleteTemplate(table), { keys })),
    ...insertStatements(table, rows, 'fails'),
  ]
}

/** The statements that insert rows. */
export function insertStatements(
  table: MovedTable,
  rows: readonly MovedRow[],
  present: Present,
): readonly Statement[] {
  const together = rows.filter((row) => !isAlone(row))
  const alone = rows.filter(isAlone)
  return [
    ...jsonChunks(together).map((chunk) => bind(insertTemplate(table, present), { rows: chunk })),
    ...alone.map((row) => bind(insertOneTemplate(table, present), keyValues('value', row))),
  ]
}

const addOrganizations = template(
  db
    .insertInto('move_organizations')
    .columns(['move_id', 'organization_id'])
    .expression(
      db
        .selectFrom(jsonEach<string, 'organization'>(slot('organizations'), 'organization'))
        .select([slot('moveId').as('move_id'), 'organization.value'])
        .where(sql.lit(true)),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

const TAKEN_VALUE = /UNIQUE constraint failed/

/** Writes rows without firing triggers, and the progress with them, in one batch. */
export async function writeTarget(
  executor: Executor,
  triggers: KnownTriggers,
  moveId: string,
  version: number,
  progress: string,
  changes: readonly TableChanges[],
): Promise<WriteOutcome> {
  const owners = new Set(changes.flatMap(({ inserts: rows }) => rows.map(([owner]) => owner)))
  const statements = [
    bind(guardVersion, { moveId, version }),
    bind(advance, { moveId, version, progress }),
    bind(addOrganizations, { moveId, organizations: JSON.stringify([...owners]) }),
    ...changes.flatMap((change) => triggers.silenced(change.table.name, changeStatements(change))),
  ]
  try {
    await resultsOf(executor, statements)
    return 'written'
  } catch (error) {
    if (CONDITION_HELD.test(String(error))) return 'overtaken'
    if (OTHER_TRIGGERS.test(String(error))) return 'schema_changed'
    if (TAKEN_VALUE.test(String(error))) return 'conflict'
    throw error
  }
}
