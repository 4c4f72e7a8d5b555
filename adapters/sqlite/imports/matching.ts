import { sql, type RawBuilder } from 'kysely'
import type { ImportSession, MatchKeys, Matches, Touch } from '../../../ports/import-sessions.ts'
import { bind, jsonChunks, slot, template, type Template } from '../statement/compiler.ts'
import { resultsOf, type Executor, type ResultRow, type StatementResult } from '../statement/executor.ts'
import { givenFields } from '../write/tenant-writer.ts'
import { decodeRows, tableOf } from '../tables.ts'
import { selectFrom } from '../read/page-select.ts'
import { findNoted, SHARED_MAX } from './preview.ts'
import type { SessionPlace } from './session-row.ts'

/** How many contacts are read at once, for each key and besides. Mostly none or one has a key. */
const EVERY_OF_KEY = 2
const EVERY_MORE = 1_000

const contacts = tableOf('contacts')
const fields = givenFields(contacts)

/** Finds every contact that has one of the keys in a column, at most `most` of them. */
const every = (column: string) => {
  const held = sql`json_each(${slot('keys')}) as k cross join contacts as t
    on t.organization_id = ${slot('organizationId')} and ${sql.id('t', column)} = k.value`
  return template(sql<ResultRow>`${selectFrom(contacts, fields, 'columns', held)} limit +${slot('most')}`)
}

/** Finds the oldest contacts that have each of the keys. */
const oldest = (condition: RawBuilder<unknown>) => {
  const ids = sql`(select json_group_array(contact_id) from (
    select contact_id from contacts as c where c.organization_id = ${slot('organizationId')} and ${condition}
    order by c.created_at, c.contact_id limit ${sql.lit(SHARED_MAX)}))`
  return template(sql<ResultRow>`
    ${selectFrom(contacts, fields, 'columns')}
    where t.organization_id = ${slot('organizationId')} and t.contact_id in (
      select held.value from json_each(${slot('keys')}) as k cross join json_each(${ids}) as held)
    limit +${slot('most')}`)
}

/** How contacts are found by a sort of keys: all of them, and where those are too many, the oldest. */
const byId = [every('contact_id'), []] as const
const byEmail = [every('email_key'), [oldest(sql`c.email_key = k.value`)]] as const
/** Whoever has no email may be found by a phone that older contacts with emails have too. */
const byPhone = [
  every('phone'),
  [oldest(sql`c.phone = k.value`), oldest(sql`c.phone = k.value and c.email_key is null`)],
] as const

const readClock = template(sql<{ readonly at: string }>`
  select clock_at as at from organizations where organization_id = ${slot('organizationId')}`)

const readTouched = template(sql<{ readonly contact_id: string; readonly touch: Touch }>`
  select contact_id, touch from import_contacts
  where organization_id = ${slot('organizationId')} and import_id = ${slot('importId')}
    and contact_id in (select value from json_each(${slot('keys')}))`)

/**
 * The contacts that have one of these keys, and what the import did with them so far. For a dry run, they are as it would
 * have left them.
 */
export async function findMatches(
  executor: Executor,
  place: SessionPlace,
  { isDryRun, matching }: ImportSession,
  keys: MatchKeys,
): Promise<Matches> {
  const { ids, emails, phones } = keys
  const { organizationId } = place
  const lookups = [lookup(place, byId, ids), lookup(place, byEmail, emails), lookup(place, byPhone, phones)]
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
  const noted = isDryRun && matching === 2 ? await findNoted(executor, place, keys, rows.keys()) : []
  for (const { contactId } of noted) rows.delete(String(contactId))
  const known = [...rows.keys(), ...noted.map(({ contactId }) => String(contactId))]
  const touches = rowsIn(await resultsOf(executor, ofKeys(readTouched, { ...place }, known)))
  return {
    contacts: [...decodeRows(contacts, fields, [...rows.values()]), ...noted],
    touched: new Map(touches.map(({ contact_id, touch }) => [contact_id, touch])),
    at: clock.rows[0]?.at ?? '',
  }
}

/** The statements that find the contacts with one of these keys, and those that find only the oldest for each key. */
function lookup(
  { organizationId }: SessionPlace,
  [all, bounded]: readonly [Template<ResultRow>, readonly Template<ResultRow>[]],
  keys: readonly string[],
) {
  const most = EVERY_OF_KEY * keys.length + EVERY_MORE
  return {
    most,
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
