import { sql, type Expression, type SqlBool } from 'kysely'
import type {
  MovedRow,
  MovedTable,
  TableChanges,
  WriteOutcome,
  MovedOrganization,
  MovePlace,
} from '../../../ports/placement.ts'
import { utf8Length } from '../../../domain/text/encoding.ts'
import {
  bind,
  db,
  eb,
  slot,
  template,
  CONDITION_HELD,
  failsWhen,
  CHUNK_BYTES_MAX,
  jsonChunks,
  type Template,
  nextInstant,
  excluded,
  exists,
} from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor, type Statement, rowsAmong } from '../statement/executor.ts'
import { templateCache } from '../../sql/statement.ts'
import {
  keyValues,
  tuple,
  countRows,
  findRows,
  readPages,
  removedKeys,
  inFamily,
  isPaused,
  readMovedTables,
} from './moved-rows.ts'
import { toInstant } from '../../../domain/text/instant.ts'

/**
 * How a move admits or refuses the requests of others at a place, and removes the rows of a family. The shared database
 * keeps pauses in a table, and its directory decides which families it serves; a family's own database keeps a state.
 * Every method is as in `MovePlace`, and may be repeated.
 */
export interface MoveControl extends Pick<MovePlace, 'pause' | 'seal' | 'resume' | 'close' | 'open'> {
  /** Prepares the place to be filled. */
  begin(): Promise<void>
  /** Lets the place answer reads from the switch on. The record of the filling was ended for this token before. */
  finish(token: string): Promise<void>
  /** Reverses `finish` with this token. */
  reopen(token: string): Promise<void>
  /** Deletes rows of the family: a bounded number, or all at once. True: none are left. */
  empty(familyId: string): Promise<boolean>
}

interface MovePlaceOptions {
  /** Runs statements on the place in any state, without checking which families it serves. */
  readonly executor: Executor
  readonly control: MoveControl
  /** How many rows one step reads or writes at most. This bounds how long others wait for the database. */
  readonly rowsMax: number
}

const tick = template(
  db
    .updateTable('organizations')
    .set(({ ref }) => ({ clock_at: nextInstant(ref('clock_at')) }))
    .where(inFamily(sql.ref('organization_id'))),
)
const organizations = template(
  db
    .selectFrom('organizations as o')
    .select(['o.organization_id as organizationId', 'o.clock_at as clockAt'])
    .select((eb) =>
      eb
        .selectFrom('restores as r')
        .select('r.restore_id')
        .whereRef('r.organization_id', '=', 'o.organization_id')
        .orderBy('r.started_at', 'desc')
        .limit(sql.lit(1))
        .as('restoreId'),
    )
    .where(inFamily(sql.ref('o.organization_id')))
    .orderBy('o.organization_id'),
)

async function familyOf(
  executor: Executor,
  familyId: string,
  now: string | null,
): Promise<readonly MovedOrganization[]> {
  const read = bind(organizations, { familyId })
  if (now === null) return rowsOf(executor, read)
  return rowsAmong(executor, { before: [bind(tick, { familyId, now })], giving: read })
}

/** A source or target of moves, over one SQLite database. No I/O. */
export function createMovePlace({ executor, control, rowsMax }: MovePlaceOptions): MovePlace {
  let known: Promise<readonly MovedTable[]> | null = null
  const tables = () => readMovedTables(executor)
  return {
    rowsMax,
    tables,
    read: (wanted) => readPages(executor, wanted),
    find: (wanted) => findRows(executor, wanted),
    counts: (counted, organizationIds) => countRows(executor, counted, organizationIds),
    organizations: (familyId, now) => familyOf(executor, familyId, now),
    async removedKeys(removals) {
      if (removals.length === 0) return []
      known ??= tables()
      const table = (await known).find(({ name }) => name === 'removals')
      return table === undefined ? [] : removedKeys(table, removals)
    },
    pause: (familyId, token, untilMs) => control.pause(familyId, token, untilMs),
    seal: (familyId, token) => control.seal(familyId, token),
    resume: (token) => control.resume(token),
    close: () => control.close(),
    async begin(moveId, mover) {
      await control.begin()
      await beginTarget(executor, moveId, mover)
    },
    write: (moveId, mover, changes) => writeTarget(executor, moveId, mover, changes),
    async finish(moveId, mover, token) {
      if (!(await finishTarget(executor, { moveId, mover, token }))) return false
      await control.finish(token)
      return true
    },
    async reopen(moveId, token) {
      await reopenTarget(executor, moveId, token)
      await control.reopen(token)
    },
    open: (token) => control.open(token),
    forget: (moveId) => endTarget(executor, moveId),
    async empty(moveId, familyId) {
      await endTarget(executor, moveId)
      return control.empty(familyId)
    },
  }
}

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

/** The record of a filling: `progress` has the name of the mover that fills. */
const beginFilling = template(
  db
    .insertInto('move_targets')
    .values({ move_id: slot('moveId'), version: sql.lit(1), progress: slot('mover') })
    .onConflict((conflict) =>
      conflict
        .column('move_id')
        .doUpdateSet(excluded(['progress']))
        .where('move_targets.finished_by', 'is', null),
    ),
)

const ofMove = db.selectFrom('move_targets').where('move_id', '=', slot('moveId'))
const isFilling = exists(ofMove.where('progress', '=', slot('mover')).where('finished_by', 'is', null))
const guardMover = failsWhen(eb.not(isFilling))

const changeFilling = db.updateTable('move_targets').where('move_id', '=', slot('moveId'))
const finishFilling = template(
  changeFilling
    .set({ finished_by: slot('token') })
    .where('progress', '=', slot('mover'))
    .where('finished_by', 'is', null)
    .returning('version'),
)
/** Whoever fills the target next begins anew, so a mover of the attempt that was given back can write no more. */
const reopenFilling = template(
  changeFilling
    .set({ finished_by: sql`null`, progress: sql.lit('') })
    .where('finished_by', '=', slot('token')),
)
const endFilling = template(db.deleteFrom('move_targets').where('move_id', '=', slot('moveId')))

/** Lets a mover fill a target, and no other one any more. */
async function beginTarget(executor: Executor, moveId: string, mover: string): Promise<void> {
  await executor.batch([bind(beginFilling, { moveId, mover })])
}

/** Ends the filling, before an attempt to switch. False: another mover fills the target, or nobody does. */
async function finishTarget(
  executor: Executor,
  values: { readonly moveId: string; readonly mover: string; readonly token: string },
): Promise<boolean> {
  return (await rowsOf(executor, bind(finishFilling, values))).length === 1
}

/** Allows filling again, after an attempt to switch failed. */
async function reopenTarget(executor: Executor, moveId: string, token: string): Promise<void> {
  await executor.batch([bind(reopenFilling, { moveId, token })])
}

const earlierTriggers = template(
  db
    .selectFrom('sqlite_master')
    .select('name')
    .where('type', '=', sql.lit('trigger'))
    .where(({ ref }) => glob(ref('name'), sql`'move_' || ${slot('moveId')} || '*'`)),
)
const earlierNotes = [
  template(
    db.deleteFrom('move_journal').where(({ ref }) => glob(ref('journal_id'), sql`${slot('moveId')} || '*'`)),
  ),
  template(
    db
      .deleteFrom('move_organizations')
      .where(({ ref }) => glob(ref('move_id'), sql`${slot('moveId')} || '*'`)),
  ),
]

/**
 * Removes the record of a filling, without which nobody can write to the target, and the triggers by which the version
 * 1.0.0 noted what was written, with what they noted.
 */
async function endTarget(executor: Executor, moveId: string): Promise<void> {
  const triggers = await rowsOf(executor, bind(earlierTriggers, { moveId }))
  await executor.batch([
    bind(endFilling, { moveId }),
    ...triggers.map(({ name }) => bind(template(sql`drop trigger if exists ${sql.id(name)}`), {})),
    ...earlierNotes.map((notes) => bind(notes, { moveId })),
  ])
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

/** The columns of the primary key. The id of a key of an organization is unique by itself, whoever has it. */
function uniqueKey({ name, key }: Pick<MovedTable, 'name' | 'key'>): readonly string[] {
  return name === 'api_keys' ? key.slice(1) : key
}

/** Values that are unique in an organization, and may pass from one row to another. */
const UNIQUE: Readonly<Record<string, string>> = { purchases: 'processor_id' }

/**
 * The statements that delete the rows which hold a unique value that one of the given rows has now. A row that still
 * exists was changed since, so it is copied again.
 */
function freeStatements({ name, columns, key }: MovedTable, rows: readonly MovedRow[]): readonly Statement[] {
  const unique = UNIQUE[name]
  if (unique === undefined) return []
  const names = [...key, unique]
  const given = names.map((_, index) => sql`value ->> ${sql.lit(index)}`)
  const free = deletes(JSON.stringify([name, key, unique]), () =>
    template(sql`
      delete from ${sql.id(name)}
      where (organization_id, ${sql.id(unique)}) in (select ${given[0]}, ${given.at(-1)} from json_each(${slot('rows')}))
        and ${tuple(key.map((column) => sql.id(column)))} not in (
          select ${sql.join(given.slice(0, -1))} from json_each(${slot('rows')}))`),
  )
  const held = rows.map((row) => names.map((column) => row[columns.indexOf(column)] ?? null))
  return jsonChunks(held).map((chunk) => bind(free, { rows: chunk }))
}

/** What an insert does with a row whose key is there already. */
type Present = 'stays' | 'replaced'

function ifPresent({ name, key, columns }: MovedTable, present: Present): Expression<unknown> {
  // Only the key is named: another value that must be unique still fails.
  const unique = uniqueKey({ name, key })
  const sameKey = sql`on conflict (${sql.join(unique.map((column) => sql.id(column)))})`
  const others = columns.filter((column) => !key.includes(column))
  if (present === 'stays' || others.length === 0) return sql`${sameKey} do nothing`
  const excluded = others.map((column) => sql.id('excluded', column))
  return sql`${sameKey} do update set
    ${sql.join(others.map((column, index) => sql`${sql.id(column)} = ${excluded[index]}`))}
    where ${tuple(others.map((column) => sql.id(name, column)))} is not ${tuple(excluded)}`
}

/** The statement that inserts rows: from a JSON array of their values, or one, with each value as its own parameter. */
function insertTemplate(table: MovedTable, present: Present, isOne: boolean): Template {
  return inserts(JSON.stringify([table, present, isOne]), () => {
    const values = table.columns.map((_, index) =>
      isOne ? slot(`value${index}`) : sql`value ->> ${sql.lit(index)}`,
    )
    const from = isOne ? sql`` : sql`from json_each(${slot('rows')})`
    return template(sql`
      insert into ${sql.id(table.name)} (${sql.join(table.columns.map((column) => sql.id(column)))})
      select ${sql.join(values)} ${from} where true ${ifPresent(table, present)}`)
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

/** The statements that insert rows. */
export function insertStatements(
  table: MovedTable,
  rows: readonly MovedRow[],
  present: Present,
): readonly Statement[] {
  const alone = rows.filter(isAlone)
  const together = rows.filter((row) => !alone.includes(row))
  return [
    ...jsonChunks(together).map((chunk) => bind(insertTemplate(table, present, false), { rows: chunk })),
    ...alone.map((row) => bind(insertTemplate(table, present, true), keyValues('value', row))),
  ]
}

/**
 * The statements that make rows of the target as given. Triggers of the table may count the rows of others into those
 * that were just inserted, which the repetition undoes: an update of nothing but such counts fires none of them.
 */
function changeStatements({ table, gone, rows }: TableChanges): readonly Statement[] {
  const written = insertStatements(table, rows, 'replaced')
  return [
    ...jsonChunks(gone).map((keys) => bind(deleteTemplate(table), { keys })),
    ...freeStatements(table, rows),
    ...written,
    ...written,
  ]
}

const TAKEN_VALUE = /UNIQUE constraint failed/

/** Writes rows in one batch, if the mover fills the target. */
async function writeTarget(
  executor: Executor,
  moveId: string,
  mover: string,
  changes: readonly TableChanges[],
): Promise<WriteOutcome> {
  try {
    await resultsOf(executor, [bind(guardMover, { moveId, mover }), ...changes.flatMap(changeStatements)])
    return 'written'
  } catch (error) {
    if (CONDITION_HELD.test(String(error))) return 'overtaken'
    if (TAKEN_VALUE.test(String(error))) return 'conflict'
    throw error
  }
}

/** Whether a text has the form of a pattern: `"name" glob ?1`. */
function glob(text: Expression<string>, pattern: Expression<string>): Expression<SqlBool> {
  return sql`${text} glob ${pattern}`
}
