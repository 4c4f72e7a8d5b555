import { sql } from 'kysely'
import type { Clock } from '../../../ports/platform.ts'
import type { MovedRow } from '../../../ports/placement/move.ts'
import type { ArchivedRows, ArchivePosition, RestoredPart, WholeStore } from '../../../ports/archives.ts'
import { readPages } from '../move/read-rows.ts'
import { insertStatements } from '../move/target.ts'
import type { Guard } from '../placement/guard.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { one } from '../statement/words.ts'
import { CONDITION_HELD, failsWhen } from '../write/fail-when.ts'
import { nowOf } from '../write/write-clock.ts'
import { readArchivedTables, type StoredTable } from './archived-tables.ts'
import { begin, ofRestoration } from './begin.ts'
import { createDeletion } from './delete.ts'
import { createErasure } from './erase.ts'
import { open } from './open.ts'
import { removeRows } from './remove-rows.ts'
import { OTHER_TRIGGERS, readKnownTriggers } from './silenced.ts'
import { createRetention } from './retention.ts'

export interface WholeStoreOptions {
  readonly guard: Guard
  readonly clock: Clock
  readonly organizationId: string
  /** How many rows one step writes at most. This bounds how long others wait for the database. */
  readonly rowsMax: number
}

const findRestoration = template(
  db
    .selectFrom('restores')
    .select(['restore_id as restoreId', 'archive', 'digest', 'next_part as nextPart', 'progress'])
    .select(['started_at as startedAt', 'ended_at as endedAt'])
    .where('organization_id', '=', slot('organizationId'))
    .where('archive', '<>', sql.lit(''))
    .orderBy(({ eb }) => eb('ended_at', 'is', null), 'desc')
    .orderBy('started_at', 'desc')
    .limit(sql.lit(1)),
)

const advance = template(
  db
    .updateTable('restores')
    .set(({ eb }) => ({ next_part: eb('next_part', '+', sql.lit(1)), progress: slot('progress') }))
    .where(ofRestoration)
    .where('next_part', '=', slot('part')),
)

const saveProgress = template<{ readonly one: number }>(
  db
    .updateTable('restores')
    .set({ progress: slot('progress') })
    .where(ofRestoration)
    .returning(one),
)

/** Fails unless this is the next part of the present restoration. */
const guardPart = failsWhen(
  eb.not(
    eb.exists(
      db.selectFrom('restores').select(one).where(ofRestoration).where('next_part', '=', slot('part')),
    ),
  ),
)

/** Everything that one SQLite database stores of an organization. No I/O. */
export function createWholeStore({ guard, clock, organizationId, rowsMax }: WholeStoreOptions): WholeStore {
  const executor = guard({ organizationIds: [organizationId] })
  const known = new Map<string | null, Promise<readonly StoredTable[]>>()
  /** Each part of an archive needs one table, and reading the whole schema takes as long as writing the part. */
  const tablesNamed = (name: string | null) => {
    const tables = known.get(name) ?? readArchivedTables(executor, name)
    known.set(name, tables)
    return tables
  }
  const tableNamed = async (name: string) => {
    const [table] = await tablesNamed(name)
    if (table === undefined) throw new Error(`Archives have no table ${name}`)
    return table
  }
  return {
    removeRows: (collection, keys) => removeRows(executor, organizationId, collection, keys, nowOf(clock)),
    ...createErasure(executor, clock, organizationId),
    ...createDeletion(executor, organizationId),
    ...createRetention(executor, organizationId),
    tables: async () => (await tablesNamed(null)).map(({ archived }) => archived),
    table: async (name) => (await tablesNamed(name))[0]?.archived ?? null,
    read: async (table, after) => read(executor, await tableNamed(table), organizationId, after),
    async restoration() {
      const [found] = await rowsOf(executor, bind(findRestoration, { organizationId }))
      return found ?? null
    },
    begin: async (restoration, slug) =>
      begin(executor, await tablesNamed(null), organizationId, restoration, slug),
    write: async (part) => write(executor, await tableNamed(part.table), organizationId, part, rowsMax),
    saveProgress: async (restoreId, progress) =>
      (await rowsOf(executor, bind(saveProgress, { organizationId, restoreId, progress }))).length === 1,
    open: async (opening) => open(executor, await tableNamed('organizations'), organizationId, opening),
  }
}

/** How many rows one step reads at most. It reads about a megabyte at most, so this bounds only small rows. */
const READ_ROWS_MAX = 5_000

/** Rows of a table. Copies of the reviews of children are left out: their own archives have them. */
async function read(
  executor: Executor,
  { moved, names }: StoredTable,
  organizationId: string,
  after: ArchivePosition | null,
): Promise<ArchivedRows> {
  const wanted = [{ table: moved, organizationId, since: null, after, rowsMax: READ_ROWS_MAX }]
  const [page] = await readPages(executor, wanted)
  const { rows, next } = page ?? { rows: [], next: null }
  const owner = moved.columns.indexOf('owner_id')
  const own = owner < 0 ? rows : rows.filter((row) => row[owner] === organizationId)
  const places = names.map((name) => moved.columns.indexOf(name))
  return { rows: own.map((row) => places.map((place) => row[place] ?? null)), next }
}

/** Matches SQLite's messages about a row that a table cannot hold. */
const UNFIT = /constraint failed|cannot store|too big|malformed JSON|datatype mismatch/i

async function write(
  executor: Executor,
  stored: StoredTable,
  organizationId: string,
  { restoreId, part, fields, rows, progress }: RestoredPart,
  rowsMax: number,
): Promise<'written' | 'lost' | 'unfit'> {
  const values = { organizationId, restoreId, part, progress }
  const { table, complete } = writtenTable(stored, organizationId, fields)
  const triggers = await readKnownTriggers(executor, table.name)
  try {
    // A part without rows still advances.
    for (let start = 0; start === 0 || start < rows.length; start += rowsMax) {
      const some = rows.slice(start, start + rowsMax).map(complete)
      const isLast = start + rowsMax >= rows.length
      await executor.batch([
        bind(guardPart, values),
        ...triggers.silenced(table.name, insertStatements(table, some, 'stays')),
        ...(isLast ? [bind(advance, values)] : []),
      ])
    }
    return 'written'
  } catch (error) {
    const text = String(error)
    if (CONDITION_HELD.test(text)) return 'lost'
    if (UNFIT.test(text) && !OTHER_TRIGGERS.test(text)) return 'unfit'
    throw error
  }
}

/** The table with the columns that are written, and how a row of an archive becomes one of it. */
function writtenTable(
  { archived, moved, names, following }: StoredTable,
  organizationId: string,
  fields: readonly string[],
) {
  const given = fields.map(
    (field) => names[archived.columns.findIndex((column) => column.field === field)] ?? '',
  )
  const columns = ['organization_id', ...given, ...Object.keys(following)]
  const complete = (row: RestoredPart['rows'][number]): MovedRow => {
    const valueOf = (column: string) => row[given.indexOf(column)] ?? null
    const more = Object.values(following).map((follow) => follow(organizationId, valueOf))
    return [organizationId, ...row, ...more]
  }
  return { table: { ...moved, columns }, complete }
}
