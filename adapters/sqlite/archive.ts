import { organizationFields, storedFieldShape } from '../../domain/record/account-fields.ts'
import { resources } from '../../domain/resources/index.ts'
import type { MovedTable, StoredValue, MovedRow } from '../../ports/placement.ts'
import type {
  ArchivedColumn,
  ArchivedTable,
  BeginOutcome,
  Restoration,
  Opening,
  ArchivedRows,
  ArchivePosition,
  RestoredPart,
  OrganizationStore,
  Deletion,
  Erasure,
  Retention,
  RowRemoval,
} from '../../ports/organization-store.ts'
import {
  readDescribedTables,
  type DescribedTable,
  readPages,
  OTHER_TRIGGERS,
  readKnownTriggers,
} from './move/moved-rows.ts'
import { resultsOf, rowsOf, type Executor } from './statement/executor.ts'
import { columnName, type Database } from './statement/database.ts'
import { aliasesFor, tableOf } from './tables.ts'
import { expressionBuilder, sql, type RawBuilder, type SqlBool } from 'kysely'
import { isClosed, parentMissing, slugTaken } from './placement/rules.ts'
import { refuseMoving } from './access/organizations.ts'
import {
  bind,
  db,
  eb,
  slot,
  template,
  ofOwner,
  one,
  textsOf,
  CONDITION_HELD,
  failsWhen,
  advanceClock,
  exists,
} from './statement/compiler.ts'
import { insertWhen, slotsOf } from './statement/insert.ts'
import { insertStatements } from './move/place.ts'

/** Why rows of a table are in no archive. */
type Reason = string

/** Tables of organizations that are not archived. */
export const unarchivedTables: Readonly<Record<string, Reason>> = {
  import_sessions: 'an import is begun again where it is needed',
  import_parts: 'a part of an import',
  import_chunks: 'a part of an import',
  import_keys: 'a part of an import',
  import_contacts: 'a part of an import',
  send_requests: 'a key is known for a day, to the service that sent',
  form_signs: 'what came to forms within the last hours',
  restores: 'how the organization itself was restored',
  webhook_deliveries: 'answers of other systems, which are kept for a month',
}

/** Columns and tables that prove who somebody is. */
const secretColumns: Readonly<Record<string, readonly string[]>> = { forms: ['password_hash'] }
const secretTables: readonly string[] = ['api_keys']

/** A column whose value follows from the organization's id and from other columns. */
type Following = (organizationId: string, valueOf: (column: string) => StoredValue) => StoredValue

/** The columns that follow, by table. */
const followingColumns: Readonly<Record<string, Readonly<Record<string, Following>>>> = {
  visible_reviews: {
    owner_id: (organizationId) => organizationId,
    row_id: (organizationId, valueOf) => `${String(valueOf('review_id'))} ${organizationId}`,
  },
  // It says when a record was written in the database where it lies, not when something was sent.
  sends: { updated_at: () => '' },
  // The receiver knows a secret as that of the service that had it, so it is not taken along. A restored webhook calls
  // nobody until somebody switches it on.
  webhooks: {
    is_on: () => 0,
    off_reason: () => null,
    failing_since: () => null,
    secret: () => null,
    previous_secret: () => null,
    previous_until: () => null,
  },
}

/** An archived table, and how its rows are stored. */
interface StoredTable {
  readonly archived: ArchivedTable
  readonly moved: MovedTable
  /** The name of the stored column of each archived one, in their order. */
  readonly names: readonly string[]
  readonly following: Readonly<Record<string, Following>>
}

const OWNER = 'organization_id'

/**
 * The tables of archives, read from the schema of a database.
 * @param only the name of one table; null: all
 */
export async function readArchivedTables(
  executor: Executor,
  only: string | null = null,
): Promise<readonly StoredTable[]> {
  const described = await readDescribedTables(executor, only)
  return described.filter(({ moved }) => !(moved.name in unarchivedTables)).map(storedTable)
}

function storedTable({ moved, columns: described }: DescribedTable): StoredTable {
  const following = followingColumns[moved.name] ?? {}
  const names = moved.columns.filter((column) => column !== OWNER && !(column in following))
  const holding = heldIn(moved.name)
  const columns = names.map((name): ArchivedColumn => {
    const shape = described.find(({ column }) => column === name)
    return {
      field: fieldName(name),
      type: shape?.type === 'INTEGER' ? 'integer' : shape?.type === 'REAL' ? 'real' : 'text',
      isNullable: shape?.nullable === 1,
      holds: holding.get(name) ?? 'value',
      isSecret: secretColumns[moved.name]?.includes(name) === true,
    }
  })
  const archived = { name: moved.name, columns, isSecret: secretTables.includes(moved.name) }
  return { archived, moved, names, following }
}

/** What the columns of a table hold, as the records declare it. Tables without a record hold plain values. */
function heldIn(table: string): ReadonlyMap<string, ArchivedColumn['holds']> {
  const wordOf = { json: 'document', boolean: 'truth' } as const
  const heldBy = (name: string, storage: string): readonly [string, ArchivedColumn['holds']] => [
    name,
    storage === 'json' || storage === 'boolean' ? wordOf[storage] : 'value',
  ]
  if (table === 'organizations')
    return new Map(
      Object.entries(organizationFields).map(([field, word]) =>
        heldBy(columnName(field), storedFieldShape(word).storage),
      ),
    )
  if (table === 'outbox') return new Map([['payload', 'document']])
  if (table === 'webhooks')
    return new Map([
      ['events', 'document'],
      ['form_ids', 'document'],
    ])
  if (table === 'spam_models')
    return new Map(['weights', 'in_spam', 'in_clean'].map((column) => [column, 'document' as const]))
  if (table === 'form_versions') return new Map([['definition', 'document']])
  const tables = resources.map(({ collection }) => tableOf(collection))
  const columns = tables.find(({ name }) => name === table)?.columns.values() ?? []
  return new Map([...columns].map(({ name, storage }) => heldBy(name, storage)))
}

/** The name of a column's values in archives: `google_place_id` is `googlePlaceId`. */
function fieldName(column: string): string {
  return column.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

const organizationId = slot<string>('organizationId')
const restores = expressionBuilder<Database, 'restores'>()

/** The condition of the present restoration of an organization, while it is closed. */
const ofRestoration = restores.and([
  restores('organization_id', '=', organizationId),
  restores('restore_id', '=', slot('restoreId')),
  restores('ended_at', 'is', null),
])

/** Whether the present restoration is still this one. */
const isPresent = exists(db.selectFrom('restores').where(ofRestoration))

/** Tables that an organization without rows may be in: itself, its keys, and what is said of rows that it had. */
const NO_ROWS: readonly string[] = ['organizations', 'api_keys', 'removals', 'retention']

const isRestoring = isClosed(organizationId)
const isSlugTaken = slugTaken(organizationId)

/** What closes an organization while its rows are restored. */
const restored = slotsOf([
  ...(['organizationId', 'restoreId', 'archive', 'digest', 'nextPart', 'progress', 'startedAt'] as const),
])

/** Whether a table has rows of the organization. */
export function hasRows(table: string): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${sql.table(table)} where ${ofOwner})`
}

const removePrevious = db
  .deleteFrom('restores')
  .where('organization_id', '=', organizationId)
  .where('ended_at', 'is not', null)

/** The organization is closed: its row comes back when it is opened. */
const removeRow = template(
  db.deleteFrom('organizations').where('organization_id', '=', organizationId).where(isPresent),
)

/** The archive says how long rows are kept: what the organization kept before would remove rows that are restored. */
const removeRetention = db.deleteFrom('retention').where('organization_id', '=', organizationId)

/** Closes an organization. Everything is judged in the same step. */
async function begin(
  executor: Executor,
  tables: readonly StoredTable[],
  organizationId: string,
  restoration: Restoration,
  slug: string | null,
): Promise<BeginOutcome> {
  // A compound condition may have a hundred parts, and there are fewer tables.
  const occupied = eb.or(
    tables
      .filter(({ archived: { name } }) => !NO_ROWS.includes(name))
      .map(({ archived }) => hasRows(archived.name)),
  )
  const mayBegin = eb.not(eb.or([isRestoring, occupied, isSlugTaken]))
  const judge = template(
    db.selectNoFrom([isRestoring.as('isRestoring'), occupied.as('hasRows'), isSlugTaken.as('isSlugTaken')]),
  )
  const values = { ...restoration, organizationId, slug }
  const [judgement] = await resultsOf(executor, [
    bind(judge, values),
    bind(template(removePrevious.where(mayBegin)), values),
    bind(template(removeRetention.where(mayBegin)), values),
    bind(template(insertWhen('restores', restored, mayBegin)), values),
    bind(removeRow, values),
  ])
  const verdict = judgement.rows[0]
  if (verdict?.isRestoring === 1) return 'restoring'
  if (verdict?.hasRows === 1) return 'has_rows'
  return verdict?.isSlugTaken === 1 ? 'slug_taken' : 'begun'
}

const parentId = slot<string | null>('parentId')
const isParentMissing = parentMissing(parentId)

const mayOpen = eb.and([isPresent, eb.not(isParentMissing), eb.not(isSlugTaken)])

const refuse = refuseMoving(slot('organizationId'), parentId, eb.and([mayOpen, eb(parentId, 'is not', null)]))

const judgeOpening = template(
  db.selectNoFrom([
    isPresent.as('isPresent'),
    isParentMissing.as('isParentMissing'),
    isSlugTaken.as('isSlugTaken'),
  ]),
)

/** Only the organization that was opened in this batch is tied, so that a trigger shows its reviews to the parent. */
const tie = template(
  db
    .updateTable('organizations')
    .set({ parent_id: parentId })
    .where('organization_id', '=', slot('organizationId'))
    .where(isPresent),
)

const endKeys = template(
  db
    .updateTable('api_keys')
    .set({ revoked_at: slot('now') })
    .where('organization_id', '=', slot('organizationId'))
    .where('issued_by', 'in', textsOf(slot('endedIssuers')))
    .where('revoked_at', 'is', null)
    .where(mayOpen),
)

const endRestoration = template(
  db
    .updateTable('restores')
    .set({ ended_at: slot('now') })
    .where(ofRestoration)
    .where(mayOpen),
)

/** Opens an organization whose rows were restored. */
async function open(
  executor: Executor,
  { archived, names }: StoredTable,
  organizationId: string,
  { restoreId, row, parentId, endedIssuers, now }: Opening,
): Promise<'opened' | 'lost' | 'slug_taken' | 'parent_missing'> {
  const given = archived.columns.flatMap(({ field }, index) =>
    field in row && field !== 'parentId' ? [{ name: names[index] ?? '', value: row[field] ?? null }] : [],
  )
  const base = { organizationId, restoreId, parentId, now }
  const values = { ...base, slug: row.slug ?? null }
  const insert = template(sql`
    insert into organizations (organization_id, ${sql.join(given.map(({ name }) => sql.id(name)))})
    select ${slot('organizationId')}, ${sql.join(given.map((_, index) => slot(`value${index}`)))} where ${mayOpen}`)
  const columns = Object.fromEntries(given.map(({ value }, index) => [`value${index}`, value]))
  const [judgement] = await resultsOf(executor, [
    bind(judgeOpening, values),
    bind(refuse, values),
    bind(insert, { ...values, ...columns }),
    bind(advanceClock, { organizationId: parentId, now }),
    bind(tie, base),
    bind(endKeys, { ...values, endedIssuers: JSON.stringify(endedIssuers) }),
    bind(endRestoration, values),
  ])
  const verdict = judgement.rows[0]
  if (verdict?.isPresent !== 1) return 'lost'
  if (verdict.isParentMissing === 1) return 'parent_missing'
  return verdict.isSlugTaken === 1 ? 'slug_taken' : 'opened'
}

const findRestoration = template(
  db
    .selectFrom('restores')
    .select(aliasesFor(['restoreId', 'archive', 'digest', 'nextPart', 'progress', 'startedAt', 'endedAt']))
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
  eb.not(exists(db.selectFrom('restores').where(ofRestoration).where('next_part', '=', slot('part')))),
)

/** What a whole organization has beside this is of its erasure and its retention. */
type Archive = Omit<OrganizationStore, keyof (RowRemoval & Erasure & Deletion & Retention)>

/**
 * The rows of one organization of a database as archives have them, and its restoration. No I/O.
 * @param rowsMax how many rows one step writes at most. This bounds how long others wait for the database
 */
export function createArchive(executor: Executor, organizationId: string, rowsMax: number): Archive {
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
