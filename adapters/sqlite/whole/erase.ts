import { sql } from 'kysely'
import type { Resource } from '../../../domain/record/resource.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { resources } from '../../../domain/resources/index.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { Erasure, ErasureStep, KnownPerson, Person } from '../../../ports/whole/erasure.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { moveClock } from '../write/upsert.ts'
import { nowOf } from '../write/write-clock.ts'
import { tableOf } from '../table/tables.ts'
import { erasedRows } from './erased-rows.ts'
import { dropFollowing, eraseSendsOf } from './following-work.ts'

const owner = sql`organization_id = ${slot('organizationId')}`
const among = (name: string) => sql`(select value from json_each(${slot(name)}))`

const findContacts = template(sql<{
  readonly id: string
  readonly email: string | null
  readonly phone: string | null
}>`
  ${sql.join(
    [
      ['contact_id', 'contactIds'],
      ['email_key', 'emailKeys'],
      ['phone', 'phones'],
    ].map(
      // Each part has an index of its own, which one condition for all of them would not use.
      ([column = '', given = '']) => sql`select contact_id as id, email_key as email, phone
        from json_each(${slot(given)}) as g cross join contacts on ${owner} and ${sql.id(column)} = g.value`,
    ),
    sql` union `,
  )}`)

const findOpenImport = template(sql<{ readonly id: string }>`
  select import_id as id from import_sessions where ${owner} and state in ('receiving', 'writing') limit 1`)

/** How many rows one step looks at, and how many it changes at most in one batch. */
const READ_MAX = 5_000
const CHANGED_MAX = 500

const isErased = ({ person }: Resource) => person !== null && !('stays' in person)

/**
 * The resources whose rows are looked at, then the log of sends, then what holds addresses beside the records. Contacts
 * come last, because they name the addresses by which everything else is found.
 */
const stages: readonly (Resource | 'sends' | 'rest')[] = [
  ...resources.filter((resource) => isErased(resource) && resource !== contacts),
  'sends',
  'rest',
  contacts,
]

const isNamed = (text: string) =>
  sql`exists (select 1 from ${among('addresses')} as a where instr(lower(${sql.id(text)}), a.value) > 0)`

const findSends = template(sql<{ readonly last: string | null; readonly ids: string }>`
  with looked as materialized (select send_id, recipient, error from sends
    where ${owner} and send_id > ${slot('after')} order by send_id limit ${sql.lit(READ_MAX)})
  select (select max(send_id) from looked) as last, (select json_group_array(send_id) from looked
    where lower(recipient) in ${among('addresses')} or ${isNamed('error')}) as ids`)
const eraseSends = template(sql`
  update sends set recipient = iif(lower(recipient) in ${among('addresses')}, 'erased', recipient), error = null
  where ${owner} and send_id in ${among('ids')}`)

/** What holds addresses beside the records. The first statements count what they change. */
const rest = [
  sql`delete from outbox where ${owner} and (lower(payload ->> 'to') in ${among('addresses')}
    or ${isNamed('last_error')})`,
  sql`update automation_messages set recipient = 'erased' where ${owner} and recipient in ${among('addresses')}`,
  // Whatever an import that has ended left behind may be about the person.
  ...['import_chunks', 'import_keys', 'import_parts'].map(
    (table) => sql`delete from ${sql.id(table)} where ${owner} and import_id in (
      select import_id from import_sessions where ${owner} and state not in ('receiving', 'writing'))`,
  ),
  sql`update import_sessions set problems = '[]', warnings = '[]', reading = ''
    where ${owner} and state not in ('receiving', 'writing')`,
].map((statement) => template(statement))

/** Erases people from one organization of a database. */
export function createErasure(executor: Executor, clock: Clock, organizationId: string): Erasure {
  return {
    async findPerson(named) {
      const found = await rowsOf(executor, bind(findContacts, { organizationId, ...jsonOf(named) }))
      const all = (given: readonly string[], more: readonly (string | null)[]) => [
        ...new Set([...given, ...more.filter((one) => one !== null)]),
      ]
      return {
        contactIds: found.map(({ id }) => id),
        emailKeys: all(
          named.emailKeys,
          found.map(({ email }) => email),
        ),
        phones: all(
          named.phones,
          found.map(({ phone }) => phone),
        ),
      }
    },
    async openImport() {
      return (await rowsOf(executor, bind(findOpenImport, { organizationId })))[0]?.id ?? null
    },
    eraseSome: (person, position) => eraseSome(executor, clock, organizationId, person, position),
  }
}

function jsonOf({ contactIds, emailKeys, phones }: Person) {
  return {
    contactIds: JSON.stringify(contactIds),
    emailKeys: JSON.stringify(emailKeys),
    phones: JSON.stringify(phones),
    addresses: JSON.stringify([...emailKeys, ...phones]),
  }
}

/** A position is the number of a stage and the id after which it continues. */
async function eraseSome(
  executor: Executor,
  clock: Clock,
  organizationId: string,
  person: KnownPerson,
  position: string | null,
): Promise<ErasureStep> {
  const [index, after] = position === null ? [0, ''] : (JSON.parse(position) as [number, string])
  const stage = stages[index]
  const values = { organizationId, after, numbers: JSON.stringify(person.numbers), ...jsonOf(person) }
  if (stage === undefined) return { rows: 0, next: null }
  if (stage === 'rest') {
    const [dropped, renamed] = await executor.batch(rest.map((statement) => bind(statement, values)))
    return { rows: (dropped?.changes ?? 0) + (renamed?.changes ?? 0), next: nextStage(index) }
  }
  const find = stage === 'sends' ? findSends : erasedRows(stage, READ_MAX).find
  const [looked] = await resultsOf(executor, [bind(find, values)])
  const { last = null, ids: text = '[]' } = looked.rows[0] ?? {}
  const ids = JSON.parse(text) as readonly string[]
  for (let start = 0; start < ids.length; start += CHANGED_MAX) {
    const some = JSON.stringify(ids.slice(start, start + CHANGED_MAX))
    await executor.batch(
      stage === 'sends'
        ? [bind(eraseSends, { ...values, ids: some })]
        : [
            moveClock(tableOf(stage.collection), organizationId, nowOf(clock)),
            bind(erasedRows(stage, READ_MAX).erase, { organizationId, ids: some }),
            ...(stage.collection === 'form-submissions'
              ? [...dropFollowing(organizationId, some), eraseSendsOf(organizationId, some)]
              : []),
          ],
    )
  }
  return { rows: ids.length, next: last === null ? nextStage(index) : JSON.stringify([index, last]) }
}

function nextStage(index: number): string | null {
  return index + 1 < stages.length ? JSON.stringify([index + 1, '']) : null
}
