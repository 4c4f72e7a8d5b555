import { sql, type Expression, type RawBuilder } from 'kysely'
import { bucketOf } from '../../../domain/limits/limits.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { ImportSession, MatchedRows, MatchKeys } from '../../../ports/import-sessions.ts'
import type { StoredRow } from '../../../ports/records.ts'
import { bind, jsonChunks, slot, template, type Template } from '../statement/compiler.ts'
import { resultsOf, type Executor, type Statement } from '../statement/executor.ts'
import { columnOf, type Table } from '../tables.ts'
import { at, valueOf } from '../write/tenant-writer.ts'
import { nextNumber, type SessionPlace } from './session-row.ts'

// What an import would write, told by a dry run.

/**
 * The SQL that counts the rows which `upsertOf` would insert or update, by the same rules.
 * @param source as for `upsertOf`
 */
export function countOfUpsert(
  table: Table,
  fields: readonly string[],
  source: Expression<unknown> = sql`json_each(${slot('rows')}) as row where true`,
): RawBuilder<number> {
  const given = fields.map((field, index) => ({ column: columnOf(table, field), index }))
  const isKey = ({ column }: (typeof given)[number]) => table.keyColumns.includes(column.name)
  const keys = given.filter(isKey).map(({ column, index }) => sql`${sql.id('t', column.name)} = ${at(index)}`)
  const content = given.filter((one) => !isKey(one))
  const stored = content.map(({ column }) => sql.id('t', column.name))
  const values = content.map(({ column, index }) => valueOf(column, index, table, fields))
  return sql<number>`(select count(*) from ${source} and not exists (
    select 1 from ${sql.id(table.name)} as t where ${sql.id('t', table.ownerColumn)} = ${slot('owner')}
      and ${sql.join(keys, sql` and `)} and (${sql.join(stored)}) is (${sql.join(values)})))`
}

// A dry run of a list of contacts writes none of them, but a row may be of a contact that an earlier row would have made
// or changed. So it notes those contacts in the table of the file's keys, in buckets with negative numbers: under its id
// the contact as it would be, and under its email and its phone its id, its age and whether it has an email. Notes are
// only added; of several of one contact, that of the last chunk holds. A contact that no longer has an email under which it
// was noted is found by it all the same, and whoever matches looks at the contact itself.

/** How many contacts are found of very many that share an email or a phone: the oldest, of those without an email too. */
export const SHARED_MAX = 20

/** So many that a bucket mostly has one key. */
const BUCKETS = 2 ** 32

const noteOf = (kind: 'id' | 'email' | 'phone', value: unknown) => `${kind} ${String(value)}`

function bucketOfNote(note: string): number {
  return -1 - bucketOf(note, BUCKETS)
}

const insertNotes = template(sql`
  insert into import_keys (organization_id, import_id, bucket, part, "keys", lines)
  select ${slot('organizationId')}, ${slot('importId')}, entry.value ->> 0, ${slot('chunk')},
    entry.value -> 1, entry.value -> 2
  from json_each(${slot('notes')}) as entry where ${nextNumber} = ${slot('chunk')}`)

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
export function noteStatements(
  place: SessionPlace,
  { matching }: ImportSession,
  { chunk, matched }: { readonly chunk: number; readonly matched: MatchedRows },
  now: string,
): readonly Statement[] {
  // By ids, no contact is met twice: an id stands in such a file only once.
  if (matching < 2) return []
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
  // An organization's clock moves with each write, so contacts of later chunks are younger.
  const madeAt = toInstant(Date.parse(now) + chunk)
  const aged = matched.rows.map((row) => {
    return { ...row, createdAt: typeof row.createdAt === 'string' ? row.createdAt : madeAt }
  })
  for (const row of aged.toSorted(byAge)) {
    const { contactId, emailKey = null, phone = null, createdAt }: StoredRow = row
    const age = [String(contactId), String(createdAt), Number(emailKey !== null)] as const
    add(noteOf('id', contactId), row)
    if (emailKey !== null) addShared(noteOf('email', emailKey), age)
    if (phone !== null) addShared(noteOf('phone', phone), age)
  }
  return jsonChunks([...buckets.values()]).map((notes) => bind(insertNotes, { ...place, chunk, notes }))
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
export async function findNoted(
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
