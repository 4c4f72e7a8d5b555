import { sql, type RawBuilder } from 'kysely'
import type { MatchKeys, Matches, Touch } from '../../../ports/import-sessions.ts'
import { bind, jsonChunks, slot, template } from '../statement/compiler.ts'
import { resultsOf, type Executor, type ResultRow, type Statement } from '../statement/executor.ts'
import { givenFields } from '../write/tenant-writer.ts'
import { decodeRows, tableOf } from '../table/tables.ts'
import { selectFrom } from '../read/page-select.ts'
import type { SessionPlace } from './session-row.ts'

/** How many contacts are found of those that share an email or a phone: the oldest. */
const SHARED_MAX = 20

const contacts = tableOf('contacts')
const fields = givenFields(contacts)

/** Finds contacts by the values in the slot `keys`. */
function found(idsOfKey: RawBuilder<unknown>) {
  return template(sql<ResultRow>`
    ${selectFrom(contacts, fields, 'columns')}
    where t.organization_id = ${slot('organizationId')} and t.contact_id in (
      select held.value from json_each(${slot('keys')}) as k cross join json_each(${idsOfKey}) as held)`)
}

/** The ids of the oldest contacts that have a key, as a JSON array. */
const oldest = (condition: RawBuilder<unknown>) => sql`(select json_group_array(contact_id) from (
  select contact_id from contacts as c where c.organization_id = ${slot('organizationId')} and ${condition}
  order by c.created_at, c.contact_id limit ${sql.lit(SHARED_MAX)}))`

const byId = found(sql`json_array(k.value)`)
const byEmail = found(oldest(sql`c.email_key = k.value`))
const byPhone = found(oldest(sql`c.phone = k.value`))
/** Whoever has no email may be found by a phone that older contacts with emails have too. */
const byPhoneAlone = found(oldest(sql`c.phone = k.value and c.email_key is null`))

const readClock = template(sql<{ readonly at: string }>`
  select clock_at as at from organizations where organization_id = ${slot('organizationId')}`)

const readTouched = template(sql<{ readonly contact_id: string; readonly touch: Touch }>`
  select contact_id, touch from import_contacts
  where organization_id = ${slot('organizationId')} and import_id = ${slot('importId')}
    and contact_id in (select value from json_each(${slot('keys')}))`)

/** The contacts that have one of these keys, and what the import did with them so far. */
export async function findMatches(
  executor: Executor,
  place: SessionPlace,
  { ids, emails, phones }: MatchKeys,
): Promise<Matches> {
  const { organizationId } = place
  const seek = (of: typeof byId, keys: readonly string[]): readonly Statement<ResultRow>[] =>
    keys.length === 0 ? [] : jsonChunks(keys).map((chunk) => bind(of, { organizationId, keys: chunk }))
  const statements = [
    ...seek(byId, ids),
    ...seek(byEmail, emails),
    ...seek(byPhone, phones),
    ...seek(byPhoneAlone, phones),
  ]
  // The clock is read first, so that what changes between two of these calls is noticed.
  const [clock] = await resultsOf(executor, [bind(readClock, { organizationId })])
  const results = statements.length === 0 ? [] : await resultsOf(executor, statements)
  const rows = new Map(results.flatMap(({ rows: some }) => some.map((row) => [String(row.contactId), row])))
  const known = [...rows.keys()]
  const touches =
    known.length === 0
      ? []
      : await resultsOf(
          executor,
          jsonChunks(known).map((keys) => bind(readTouched, { ...place, keys })),
        )
  return {
    contacts: decodeRows(contacts, fields, [...rows.values()]),
    touched: new Map(
      touches.flatMap(({ rows: some }) => some.map(({ contact_id, touch }) => [contact_id, touch])),
    ),
    at: clock.rows[0]?.at ?? '',
  }
}
