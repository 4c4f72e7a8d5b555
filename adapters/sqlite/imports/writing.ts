import {
  expressionBuilder,
  sql,
  type Expression,
  type ExpressionBuilder,
  type SqlBool,
  type RawBuilder,
} from 'kysely'
import { placeInFile } from '../../../domain/imports/contacts.ts'
import { fnv1a, keysOf } from '../../../domain/text/encoding.ts'
import type {
  ImportSession,
  ImportState,
  WrittenChunk,
  MatchKeys,
  Matches,
  Touch,
} from '../../../ports/import-sessions.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { forms } from '../../../domain/resources/forms.ts'
import type { Database } from '../statement/database.ts'
import {
  bind,
  db,
  slot,
  template,
  jsonChunks,
  failsWhen,
  CONDITION_HELD,
  type Template,
} from '../statement/compiler.ts'
import {
  rowsAmong,
  type Executor,
  type Statement,
  resultsOf,
  type ResultRow,
  type StatementResult,
} from '../statement/executor.ts'
import {
  versionStatements,
  encodedRows,
  writableTable,
  givenFields,
  moveClock,
  upsertOf,
  countOfUpsert,
} from '../write/tenant-writer.ts'
import {
  endState,
  isIn,
  nextNumber,
  ofSession,
  sessionColumns,
  sessionOf,
  type SessionPlace,
  type SessionRow,
} from './session-states.ts'
import { columnOf, type Table, decodeRows, tableOf } from '../tables.ts'
import { selectFrom } from '../read/page-select.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { StoredRow } from '../../../ports/records.ts'

const thisSession = db.selectFrom('import_sessions').where(ofSession)

/**
 * Counts chunks as written, at most `chunksMax` of them, with `changed` rows. It must follow the statement that writes
 * the rows, so that changes() is how many rows that statement inserted or updated, without those that triggers wrote.
 */
function count(changed: Expression<number>) {
  const { eb, ref } = expressionBuilder<Database, 'import_sessions'>()
  const end = eb('written_chunks', '+', slot<number>('chunksMax'))
  const after = sql<number>`min(${ref('chunks')}, ${end})`
  const rows = db
    .selectFrom('import_chunks as c')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('c.row_count'), sql.lit(0)).as('sum'))
    .where('c.organization_id', '=', slot('organizationId'))
    .where('c.import_id', '=', slot('importId'))
    .where('c.chunk', '>=', sql<number>`${ref('written_chunks')}`)
    .where('c.chunk', '<', sql<number>`${end}`)
  return db
    .updateTable('import_sessions')
    .set({
      changed_rows: eb('changed_rows', '+', changed),
      written_rows: eb('written_rows', '+', rows.$asScalar()),
      written_chunks: after,
      touched_at: slot('now'),
      state: sql<ImportState>`iif(${after} = ${ref('chunks')}, ${endState}, ${ref('state')})`,
    })
    .where(ofSession)
    .where(isIn('writing'))
    .returning(sessionColumns)
}

const countWritten = count(sql`changes()`)
const countChanges = template(countWritten)
const countChangesOfNext = template(countWritten.where('written_chunks', '=', slot('chunk')))
const countGiven = template(count(slot('changed')).where('written_chunks', '=', slot('chunk')))

/** Removes the chunks that have been written. */
const deleteWritten = template(
  db.deleteFrom('import_chunks').where(ofSession).where('chunk', '<', thisSession.select('written_chunks')),
)

/** The upserts of staged chunks, by table and fields. */
const upserts = new Map<string, Template>()

/** The next chunks, each with its rows in `row.value`. */
const stagedRows = sql`import_chunks as c, json_each(c."rows") as row
  where c.organization_id = ${slot('organizationId')} and c.import_id = ${slot('importId')}
    and c.chunk >= ${nextNumber} and c.chunk < ${nextNumber} + ${slot('chunksMax')}`

function upsertNext(collection: string, fields: readonly string[]): Template {
  const key = [collection, ...fields].join(' ')
  const table = writableTable(collection)
  const upsert = upserts.get(key) ?? template(upsertOf(table, fields, inOrderOfTime(table, fields)))
  upserts.set(key, upsert)
  return upsert
}

/**
 * The staged rows in the order of their time, if they have one. The result does not depend on it, but files are often
 * sorted by id. Sorted by time, neighbours in an index by time are written together, so each page of the index is
 * touched once.
 */
function inOrderOfTime(table: Table, fields: readonly string[]): Expression<unknown> {
  const time = fields.findIndex((field) => field.endsWith('At') && !columnOf(table, field).nullable)
  return time === -1 ? stagedRows : sql`${stagedRows} order by row.value ->> ${sql.raw(String(time))}`
}

/** The upserts of rows that were given in place of staged ones, by table. */
const givenUpserts = new Map<string, Template>()

function upsertGiven(collection: string): Template {
  const table = writableTable(collection)
  const given = sql`json_each(${slot('rows')}) as row where ${nextNumber} = ${slot('chunk')}`
  // Contacts are given as they are stored, with what the rows change.
  const areWhole = collection === contacts.collection
  const upsert =
    givenUpserts.get(collection) ?? template(upsertOf(table, givenFields(table), given, areWhole))
  givenUpserts.set(collection, upsert)
  return upsert
}

/** The counts of a dry run, which stand in place of upserts, by what they count. */
const comparisons = new Map<string, Template<SessionRow>>()

function comparisonOf(name: string, changed: () => Expression<number>): Template<SessionRow> {
  const compared =
    comparisons.get(name) ?? template(count(changed()).where('written_chunks', '=', slot('chunk')))
  comparisons.set(name, compared)
  return compared
}

/** Writes the next staged chunks inside the database, or compares them. */
export function writeStaged(
  executor: Executor,
  place: SessionPlace,
  { kind, stagedFields, isDryRun, writtenChunks }: ImportSession,
  chunksMax: number,
  now: string,
): Promise<ImportSession | null> {
  if (stagedFields === null) throw new Error('Drafts must be completed before they are written')
  const values = { ...place, owner: place.organizationId, chunksMax, now }
  if (isDryRun) {
    const compared = comparisonOf([kind, ...stagedFields].join(' '), () =>
      countOfUpsert(writableTable(kind), stagedFields, stagedRows),
    )
    return counted(executor, place, bind(compared, { ...values, chunk: writtenChunks }))
  }
  return counted(executor, place, bind(countChanges, values), [
    moveClock(writableTable(kind), place.organizationId, now),
    bind(upsertNext(kind, stagedFields), values),
  ])
}

/**
 * Writes rows in place of the chunk that they were made from. When those rows are stored elsewhere, it only counts the
 * chunk.
 */
export function writeGiven(
  executor: Executor,
  place: SessionPlace,
  session: ImportSession,
  given: WrittenChunk,
  now: string,
): Promise<ImportSession | null> {
  const values = { ...place, owner: place.organizationId, chunk: given.chunk, chunksMax: 1, now }
  if ('changed' in given)
    return counted(executor, place, bind(countGiven, { ...values, changed: given.changed }))
  const { kind } = session
  const table = writableTable(kind)
  if ('matched' in given) return writeMatched(executor, session, place, given, now)
  const { organizationId } = place
  const rows = JSON.stringify(encodedRows(table, givenFields(table), given.rows))
  if (session.isDryRun) {
    const compared = comparisonOf(kind, () => countOfUpsert(table, givenFields(table)))
    return counted(executor, place, bind(compared, { ...values, rows }))
  }
  // What an import changes of a form is a version of nobody, as a person's save is one of theirs.
  const formIds = kind === forms.collection ? given.rows.map(({ formId }) => String(formId)) : []
  const versions = formIds.length === 0 ? null : versionStatements(organizationId, formIds, null)
  const written = bind(upsertGiven(kind), { ...values, rows })
  return counted(
    executor,
    place,
    bind(countChangesOfNext, values),
    [moveClock(table, organizationId, now), ...(versions?.before ?? []), written],
    versions?.after,
  )
}

/**
 * That a contact was changed that now has one of these keys in a column, since those were read to which rows were matched.
 * The sign keeps SQLite from looking through all that have the keys, where few were changed.
 */
const isOutdatedBy = (column: string) =>
  failsWhen(sql<SqlBool>`exists (select 1 from contacts
  where organization_id = ${slot('organizationId')} and updated_at > ${slot('at')}
    and +${sql.id(column)} in (select value from json_each(${slot('keys')})))`)
const isOutdated = {
  ids: isOutdatedBy('contact_id'),
  emails: isOutdatedBy('email_key'),
  phones: isOutdatedBy('phone'),
}

type MatchedChunk = Extract<WrittenChunk, { readonly matched: unknown }>

/** That a chunk is the next one, and so many of its rows are left. */
const isNext = sql<SqlBool>`${nextNumber} = ${slot('chunk')} and ${slot('of')} = (
  select row_count from import_chunks
  where organization_id = ${slot('organizationId')} and import_id = ${slot('importId')} and chunk = ${slot('chunk')})`

const ofMatched = ({ eb }: { readonly eb: ExpressionBuilder<Database, 'import_sessions'> }) => ({
  new_rows: eb('new_rows', '+', slot<number>('newRows')),
  merged_rows: eb('merged_rows', '+', slot<number>('mergedRows')),
  warnings: slot<string>('warnings'),
})
const countMatched = template(count(slot('changedRows')).set(ofMatched).where(isNext))

/** Counts the first rows of a chunk, whose others wait. */
const countTaken = template(
  db
    .updateTable('import_sessions')
    .set(ofMatched)
    .set(({ eb }) => ({
      changed_rows: eb('changed_rows', '+', slot('changedRows')),
      written_rows: eb('written_rows', '+', slot('taken')),
      touched_at: slot('now'),
    }))
    .where(ofSession)
    .where(isNext)
    .returning(sessionColumns),
)

const dropTaken = template(sql`
  update import_chunks set row_count = row_count - ${slot('taken')}, "rows" = (
    select json_group_array(json(value)) from (
      select value from json_each("rows") where key >= ${slot('taken')} order by key))
  where organization_id = ${slot('organizationId')} and import_id = ${slot('importId')} and chunk = ${slot('chunk')}
    and ${isNext}`)

const touch = template(sql`
  insert into import_contacts (organization_id, import_id, contact_id, touch)
  select ${slot('organizationId')}, ${slot('importId')}, entry.value ->> 0, entry.value ->> 1
  from json_each(${slot('touched')}) as entry where ${isNext}
  on conflict (organization_id, import_id, contact_id) do update set touch = excluded.touch`)

/**
 * Writes contacts as rows of a chunk leave them; a dry run notes them for the rows after them. Null also when a contact
 * was changed since they were read.
 */
async function writeMatched(
  executor: Executor,
  session: ImportSession,
  place: SessionPlace,
  given: MatchedChunk,
  now: string,
): Promise<ImportSession | null> {
  const { organizationId } = place
  const { chunk, taken, of, matched } = given
  const { at, keys } = matched
  const table = writableTable('contacts')
  const step = { ...place, chunk, of }
  const values = { ...step, owner: organizationId, chunksMax: 1, taken, now, ...matched.counts }
  const rows = encodedRows(table, givenFields(table), matched.rows)
  const changes = session.isDryRun
    ? noteStatements(place, session, given, now)
    : [
        ...keysOf(isOutdated).flatMap((sort) => ofKeys(isOutdated[sort], { organizationId, at }, keys[sort])),
        moveClock(table, organizationId, now),
        ...jsonChunks(rows).map((some) => bind(upsertGiven('contacts'), { ...values, rows: some })),
      ]
  const writes = [
    ...changes,
    ...jsonChunks(matched.touched).map((some) => bind(touch, { ...step, touched: some })),
  ]
  const isAll = taken === of
  const counting = bind(isAll ? countMatched : countTaken, {
    ...values,
    warnings: JSON.stringify(matched.warnings),
  })
  try {
    return await counted(
      executor,
      place,
      counting,
      writes,
      isAll ? [] : [bind(dropTaken, { ...step, taken })],
    )
  } catch (error) {
    if (CONDITION_HELD.test(String(error))) return null
    throw error
  }
}

/** Writes chunks, counts them by the statement `count`, and removes them, in one batch. Null: none was counted. */
async function counted(
  executor: Executor,
  place: SessionPlace,
  count: Statement<SessionRow>,
  writes: readonly Statement[] = [],
  following: readonly Statement[] = [],
): Promise<ImportSession | null> {
  const after = [...following, bind(deleteWritten, { ...place })]
  const [row] = await rowsAmong(executor, { before: writes, giving: count, after })
  return row === undefined ? null : sessionOf(row)
}

/** How many contacts are found of very many that share an email or a phone: the oldest, of those without an email too. */
const SHARED_MAX = 20

/** How many contacts are read at once, for each key and besides. Mostly none or one has a key. */
const EVERY_OF_KEY = 2
const EVERY_MORE = 1_000

const contactTable = tableOf('contacts')
export const fields = givenFields(contactTable)

/** The contacts that have one of the keys in a column. */
const held = (column: string) => sql`json_each(${slot('keys')}) as k cross join contacts as t
    on t.organization_id = ${slot('organizationId')} and ${sql.id('t', column)} = k.value`

/** Finds every contact that has one of the keys in a column, at most `most` of them. */
const every = (column: string) =>
  template(
    sql<ResultRow>`${selectFrom(contactTable, fields, 'columns', held(column))} limit +${slot('most')}`,
  )

/** The size of those contacts, which the heads of their rows say. */
const sizeOf = (column: string) => {
  const sizes = [...contactTable.columns.values()].map(
    ({ name }) => sql`ifnull(octet_length(${sql.id('t', name)}), 4)`,
  )
  const size = sql`${sql.join(sizes, sql` + `)} as bytes`
  return template(sql<{ readonly bytes: number }>`
    select ifnull(sum(bytes), 0) as bytes from (select ${size} from ${held(column)} limit +${slot('most')})`)
}

/** Finds the oldest contacts that have each of the keys. */
const oldest = (condition: RawBuilder<unknown>) => {
  const ids = sql`(select json_group_array(contact_id) from (
    select contact_id from contacts as c where c.organization_id = ${slot('organizationId')} and ${condition}
    order by c.created_at, c.contact_id limit ${sql.lit(SHARED_MAX)}))`
  return template(sql<ResultRow>`
    ${selectFrom(contactTable, fields, 'columns')}
    where t.organization_id = ${slot('organizationId')} and t.contact_id in (
      select held.value from json_each(${slot('keys')}) as k cross join json_each(${ids}) as held)
    limit +${slot('most')}`)
}

/** How contacts are found by a sort of keys: all of them, and where those are too many, the oldest. */
interface Lookup {
  readonly size: Template<{ readonly bytes: number }>
  readonly all: Template<ResultRow>
  readonly bounded: readonly Template<ResultRow>[]
}

const byId = { size: sizeOf('contact_id'), all: every('contact_id'), bounded: [] }
const byEmail = {
  size: sizeOf('email_key'),
  all: every('email_key'),
  bounded: [oldest(sql`c.email_key = k.value`)],
}
/** Whoever has no email may be found by a phone that older contacts with emails have too. */
const byPhone = {
  size: sizeOf('phone'),
  all: every('phone'),
  bounded: [oldest(sql`c.phone = k.value`), oldest(sql`c.phone = k.value and c.email_key is null`)],
}

const readClock = template(sql<{ readonly at: string }>`
  select clock_at as at from organizations where organization_id = ${slot('organizationId')}`)

const readTouched = template(sql<{ readonly contact_id: string; readonly touch: Touch }>`
  select contact_id, touch from import_contacts
  where organization_id = ${slot('organizationId')} and import_id = ${slot('importId')}
    and contact_id in (select value from json_each(${slot('keys')}))`)

/**
 * The contacts that have one of these keys, and what the import did with them so far. For a dry run, they are as it would
 * have left them. Of contacts that are larger than `bytesMax` in all, their size alone is read.
 */
export async function findMatches(
  executor: Executor,
  place: SessionPlace,
  { isDryRun }: ImportSession,
  keys: MatchKeys,
  bytesMax: number,
): Promise<Matches | { readonly bytes: number }> {
  const { ids, emails, phones } = keys
  const { organizationId } = place
  const lookups = [lookup(place, byId, ids), lookup(place, byEmail, emails), lookup(place, byPhone, phones)]
  if (bytesMax < Infinity) {
    const asked = lookups.flatMap(({ sizes }) => sizes)
    const bytes = rowsIn(await resultsOf(executor, asked)).reduce((sum, size) => sum + size.bytes, 0)
    if (bytes > bytesMax) return { bytes }
  }
  // The clock is read with them, so that what changes after it is noticed.
  const [clock, ...results] = await resultsOf(executor, [
    bind(readClock, { organizationId }),
    ...lookups.flatMap(({ statements }) => statements),
  ])
  const rows = new Map<string, ResultRow>()
  for (const { statements, most, oldest } of lookups) {
    const all = rowsIn(results.splice(0, statements.length))
    const some = all.length < most || oldest.length === 0 ? all : rowsIn(await resultsOf(executor, oldest))
    for (const row of some) rows.set(String(row.contactId), row)
  }
  const noted = isDryRun ? await findNoted(executor, place, keys, rows.keys()) : []
  for (const { contactId } of noted) rows.delete(String(contactId))
  const known = [...rows.keys(), ...noted.map(({ contactId }) => String(contactId))]
  const named = [...new Set([...known, ...ids])]
  const touches = rowsIn(await resultsOf(executor, ofKeys(readTouched, { ...place }, named)))
  return {
    contacts: [...decodeRows(contactTable, fields, [...rows.values()]), ...noted],
    touched: new Map(touches.map(({ contact_id, touch }) => [contact_id, touch])),
    at: clock.rows[0]?.at ?? '',
  }
}

/** The statements that find the contacts with one of these keys, and those that find only the oldest for each key. */
function lookup({ organizationId }: SessionPlace, { size, all, bounded }: Lookup, keys: readonly string[]) {
  const most = EVERY_OF_KEY * keys.length + EVERY_MORE
  return {
    most,
    sizes: ofKeys(size, { organizationId, most }, keys),
    statements: ofKeys(all, { organizationId, most }, keys),
    oldest: bounded.flatMap((by) => ofKeys(by, { organizationId, most: SHARED_MAX * keys.length }, keys)),
  }
}

/** A statement for keys, several times where those are more than one value can hold. */
function ofKeys<Row>(of: Template<Row>, values: Parameters<typeof bind>[1], keys: readonly string[]) {
  return jsonChunks(keys).map((chunk) => bind(of, { ...values, keys: chunk }))
}

function rowsIn<Row>(results: readonly StatementResult<Row>[]): readonly Row[] {
  return results.flatMap(({ rows }) => rows)
}

// A dry run of a list of contacts writes none of them, but a row may be of a contact that an earlier row would have made
// or changed. So it notes those contacts in the table of the file's keys, in buckets with negative numbers: under its id
// the contact as it would be, and under its email and its phone its id, its age and whether it has an email. Notes are
// only added; of several of one contact, that of the last chunk holds. A contact that no longer has an email under which it
// was noted is found by it all the same, and whoever matches looks at the contact itself.

const noteOf = (kind: 'id' | 'email' | 'phone', value: unknown) => `${kind} ${String(value)}`

/** There are so many of these buckets that one mostly has one key. */
function bucketOfNote(note: string): number {
  return -1 - fnv1a(note)
}

const insertNotes = template(sql`
  insert into import_keys (organization_id, import_id, bucket, part, "keys", lines)
  select ${slot('organizationId')}, ${slot('importId')}, entry.value ->> 0, ${slot('part')},
    entry.value -> 1, entry.value -> 2
  from json_each(${slot('notes')}) as entry where ${isNext}`)

/** The notes under the keys in the slot `wanted`, each with the number of its bucket. */
const wanted = sql`json_each(${slot('wanted')}) as w cross join import_keys as k
    on k.organization_id = ${slot('organizationId')} and k.import_id = ${slot('importId')}
      and k.bucket = w.value ->> 0
    cross join json_each(k."keys") as noted
  where noted.value = w.value ->> 1`

const readContacts = template(sql<{ readonly found: string }>`
  select k.lines -> noted.key as found from ${wanted} order by k.part`)

const readIds = template(sql<{ readonly found: string }>`
  select distinct found from (
    select those.at ->> 0 as found, row_number() over (
      partition by those.note, those.at ->> 2 order by those.at ->> 1, those.at ->> 0) as place
    from (select noted.value as note, k.lines -> noted.key as at, max(k.part)
      from ${wanted} group by noted.value, (k.lines -> noted.key) ->> 0) as those)
  where place <= ${sql.lit(SHARED_MAX)}`)

/** The statements by which a dry run notes the contacts that a chunk would have made or changed. */
function noteStatements(
  place: SessionPlace,
  { matching }: ImportSession,
  { chunk, of, matched }: MatchedChunk,
  now: string,
): readonly Statement[] {
  // By ids, only those are met again that are touched, since they are marked.
  const touched = new Set(matched.touched.map(([id]) => id))
  const noted =
    matching === 2 ? matched.rows : matched.rows.filter((row) => touched.has(String(row.contactId)))
  const buckets = new Map<number, [number, string[], unknown[]]>()
  const add = (note: string, value: unknown): void => {
    const number = bucketOfNote(note)
    const bucket = buckets.get(number) ?? [number, [], []]
    bucket[1].push(note)
    bucket[2].push(value)
    buckets.set(number, bucket)
  }
  const counts = new Map<string, number>()
  const addShared = (note: string, value: readonly [id: string, createdAt: string, hasEmail: number]) => {
    const shared = `${value[2]} ${note}`
    const count = counts.get(shared) ?? 0
    counts.set(shared, count + 1)
    if (count < SHARED_MAX) add(note, value)
  }
  const part = placeInFile(chunk, of)
  // An organization's clock moves with each write, so contacts of later steps are younger.
  const madeAt = toInstant(Date.parse(now) + part)
  const aged = noted.map((row) => {
    return { ...row, createdAt: typeof row.createdAt === 'string' ? row.createdAt : madeAt }
  })
  for (const row of aged.toSorted(byAge)) {
    const { contactId, emailKey = null, phone = null, createdAt }: StoredRow = row
    const age = [String(contactId), String(createdAt), Number(emailKey !== null)] as const
    add(noteOf('id', contactId), row)
    if (emailKey !== null) addShared(noteOf('email', emailKey), age)
    if (phone !== null) addShared(noteOf('phone', phone), age)
  }
  return jsonChunks([...buckets.values()]).map((notes) =>
    bind(insertNotes, { ...place, chunk, of, part, notes }),
  )
}

function byAge(one: StoredRow, than: StoredRow): number {
  const [left, right] = [one, than].map(
    ({ createdAt, contactId }) => `${String(createdAt)} ${String(contactId)}`,
  )
  return left === right ? 0 : String(left) < String(right) ? -1 : 1
}

/**
 * The contacts as a dry run would have left them that have one of these keys, or had; of very many, the oldest.
 * @param stored the ids of the contacts that have one of the keys as they are stored
 */
async function findNoted(
  executor: Executor,
  place: SessionPlace,
  { ids, emails, phones }: MatchKeys,
  stored: Iterable<string>,
): Promise<readonly StoredRow[]> {
  const shared = await notes(executor, readIds, place, [
    ...emails.map((email) => noteOf('email', email)),
    ...phones.map((phone) => noteOf('phone', phone)),
  ])
  const all = [...new Set([...ids, ...stored, ...shared])].map((id) => noteOf('id', id))
  const found = await notes(executor, readContacts, place, all)
  const rows = found.map((text) => JSON.parse(text) as StoredRow)
  // The last one of several stays in the map.
  return [...new Map(rows.map((row) => [row.contactId, row])).values()]
}

/** What was noted under these keys. */
async function notes(
  executor: Executor,
  of: Template<{ readonly found: string }>,
  place: SessionPlace,
  keys: readonly string[],
): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const chunks = jsonChunks(keys.map((note) => [bucketOfNote(note), note]))
  const results = await resultsOf(
    executor,
    chunks.map((some) => bind(of, { ...place, wanted: some })),
  )
  return results.flatMap(({ rows }) => rows.map(({ found }) => found))
}
