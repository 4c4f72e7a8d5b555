import { expressionBuilder, sql, type Expression, type SqlBool } from 'kysely'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { resources } from '../../../domain/resources/index.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { Erasure, ErasureStep, KnownPerson, Person } from '../../../ports/organization-store.ts'
import type { Database } from '../statement/database.ts'
import { isOpen, openImports } from '../imports/session-states.ts'
import {
  bind,
  db,
  slot,
  template,
  jsonEach,
  textsOf,
  ofOwner,
  type Template,
  advanceClock,
  nowOf,
  writtenAt,
  exists,
} from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor } from '../statement/executor.ts'
import { changedContactsStatement } from '../outbox/webhooks.ts'
import { moveClock } from '../write/tenant-writer.ts'
import { tableOf, columnOf, type Table } from '../tables.ts'
import { dropFollowing, eraseSendsOf } from './retention.ts'
import { templateCache } from '../../sql/statement.ts'

const organizationId = slot<string>('organizationId')
const addresses = textsOf(slot('addresses'))

/** The contacts that one kind of what is given names, by the index of that column: SQLite uses none for `a or b or c`. */
const contactsBy = (column: 'contact_id' | 'email_key' | 'phone', given: keyof Person) =>
  db
    .selectFrom(jsonEach<string, 'g'>(slot(given), 'g'))
    .crossJoin('contacts')
    .select(['contacts.contact_id as id', 'contacts.email_key as email', 'contacts.phone'])
    .where('contacts.organization_id', '=', organizationId)
    .where(({ eb, ref }) => eb(`contacts.${column}`, '=', ref('g.value')))

const findContacts = template(
  contactsBy('contact_id', 'contactIds')
    .union(contactsBy('email_key', 'emailKeys'))
    .union(contactsBy('phone', 'phones')),
)

const findClock = template(
  db.selectFrom('organizations').select('clock_at as at').where('organization_id', '=', organizationId),
)

const findOpenImport = template(openImports.limit(sql.lit(1)))

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

const isNamed = (text: Expression<string | null>) =>
  exists(
    db
      .selectFrom(jsonEach<string, 'a'>(slot('addresses'), 'a'))
      .where(({ ref }) => sql<SqlBool>`instr(lower(${text}), ${ref('a.value')}) > 0`),
  )

const findSends = template(
  db
    .with(
      (looked) => looked('looked').materialized(),
      () =>
        db
          .selectFrom('sends')
          .select(['send_id', 'recipient', 'error'])
          .where('organization_id', '=', organizationId)
          .where('send_id', '>', slot('after'))
          .orderBy('send_id')
          .limit(sql.lit(READ_MAX)),
    )
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('looked')
        .select(({ fn }) => fn.max('send_id').as('last'))
        .as('last'),
      selectFrom('looked')
        .select(({ fn }) => fn<string>('json_group_array', ['send_id']).as('ids'))
        .where(({ eb, fn, or, ref }) =>
          or([eb(fn<string>('lower', ['recipient']), 'in', addresses), isNamed(ref('error'))]),
        )
        .as('ids'),
    ]),
)
const eraseSends = template(
  db
    .updateTable('sends')
    .set(({ eb, fn, ref }) => {
      const isOfPerson = eb(fn<string>('lower', ['recipient']), 'in', addresses)
      return { recipient: sql<string>`iif(${isOfPerson}, 'erased', ${ref('recipient')})`, error: sql`null` }
    })
    .set({ updated_at: sql`coalesce(${writtenAt}, '')` })
    .where('organization_id', '=', organizationId)
    .where('send_id', 'in', textsOf(slot('ids'))),
)

const hasEnded = expressionBuilder<Database, 'import_sessions'>().not(isOpen)

const outbox = expressionBuilder<Database, 'outbox'>()
const isWaiting = outbox.and([
  outbox('organization_id', '=', organizationId),
  outbox.or([
    outbox(sql<string>`lower(${outbox.ref('payload')} ->> 'to')`, 'in', addresses),
    isNamed(outbox.ref('last_error')),
  ]),
])
const messages = expressionBuilder<Database, 'automation_messages'>()
const isRecipient = messages.and([
  messages('organization_id', '=', organizationId),
  messages('recipient', 'in', addresses),
])

/** Counts what the first two statements of `rest` change. */
const countRest = template(
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('outbox')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isWaiting)
      .as('waiting'),
    selectFrom('automation_messages')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isRecipient)
      .as('sent'),
  ]),
)

/** A receiver may have answered with what it was told of a contact, until this very moment. */
const forgetAnswersOf = template(sql`update webhook_deliveries set answers = '[]'
  where ${ofOwner} and answers <> '[]' and subject_id in ${textsOf(slot('ids'))}`)

/** What holds addresses beside the records. The first statements count what they change. */
const rest: readonly Template[] = [
  template(db.deleteFrom('outbox').where(isWaiting)),
  template(
    db
      .updateTable('automation_messages')
      .set({ recipient: sql.lit('erased') })
      .where(isRecipient),
  ),
  // A receiver may answer with what it got.
  template(sql`update webhook_deliveries set answers = '[]' where ${ofOwner} and answers <> '[]' and (
    subject_id in ${textsOf(slot('contactIds'))} or ${isNamed(sql<string>`answers`)} or subject_id in (
      select s.submission_id from form_submissions as s where s.organization_id = ${organizationId}
        and s.contact_id in ${textsOf(slot('contactIds'))}))`),
  // Whatever an import that has ended left behind may be about the person.
  ...(['import_chunks', 'import_keys', 'import_parts', 'import_contacts'] as const).map((table) =>
    template(
      db
        .deleteFrom(table)
        .where('organization_id', '=', organizationId)
        .where(
          'import_id',
          'in',
          db
            .selectFrom('import_sessions')
            .select('import_id')
            .where('organization_id', '=', organizationId)
            .where(hasEnded),
        ),
    ),
  ),
  template(
    db
      .updateTable('import_sessions')
      .set({ problems: sql.lit('[]'), warnings: sql.lit('[]'), reading: sql.lit('') })
      .where('organization_id', '=', organizationId)
      .where(hasEnded),
  ),
]

/** Erases people from one organization of a database. */
export function createErasure(executor: Executor, clock: Clock, organizationId: string): Erasure {
  return {
    async findPerson(named) {
      const [{ rows: found }, { rows: clock }] = await resultsOf(executor, [
        bind(findContacts, { organizationId, ...jsonOf(named) }),
        bind(findClock, { organizationId }),
      ])
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
        clockAt: clock[0]?.at ?? null,
      }
    },
    async openImport() {
      return (await rowsOf(executor, bind(findOpenImport, { organizationId })))[0]?.id ?? null
    },
    eraseSome: (person, position, closedAt) =>
      eraseSome(executor, clock, { organizationId, closedAt: closedAt ?? null }, person, position),
    findSome: (person, position) => findSome(executor, organizationId, person, position),
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

async function findSome(
  executor: Executor,
  organizationId: string,
  person: KnownPerson,
  position: string | null,
): Promise<ErasureStep> {
  const { index, stage, values } = stageAt(organizationId, person, position)
  if (stage === undefined) return { rows: 0, contacts: 0, clockAt: null, next: null }
  if (stage === 'rest') {
    const [counted] = await rowsOf(executor, bind(countRest, values))
    const rows = (counted?.waiting ?? 0) + (counted?.sent ?? 0)
    return { rows, contacts: 0, clockAt: null, next: nextStage(index) }
  }
  const { ids, last } = lookedAt(await rowsOf(executor, bind(finding(stage), values)))
  return stepOf(index, ids, last, null)
}

/** A position is the number of a stage and the id after which it continues. */
function stageAt(organizationId: string, person: KnownPerson, position: string | null) {
  const [index, after] = position === null ? [0, ''] : (JSON.parse(position) as [number, string])
  const values = { organizationId, after, numbers: JSON.stringify(person.numbers), ...jsonOf(person) }
  return { index, stage: stages[index], values }
}

function finding(stage: Resource | 'sends') {
  return stage === 'sends' ? findSends : erasedRows(stage, READ_MAX).find
}

function lookedAt(rows: readonly { readonly last: string | null; readonly ids: string | null }[]) {
  const { last = null, ids = null } = rows[0] ?? {}
  return { last, ids: JSON.parse(ids ?? '[]') as readonly string[] }
}

function stepOf(
  index: number,
  ids: readonly string[],
  last: string | null,
  clockAt: string | null,
): ErasureStep {
  return {
    rows: ids.length,
    contacts: stages[index] === contacts ? ids.length : 0,
    clockAt,
    next: last === null ? nextStage(index) : JSON.stringify([index, last]),
  }
}

async function eraseSome(
  executor: Executor,
  clock: Clock,
  { organizationId, closedAt }: { readonly organizationId: string; readonly closedAt: string | null },
  person: KnownPerson,
  position: string | null,
): Promise<ErasureStep> {
  const { index, stage, values } = stageAt(organizationId, person, position)
  const readClock = bind(findClock, { organizationId })
  if (stage === undefined) return { rows: 0, contacts: 0, clockAt: null, next: null }
  if (stage === 'rest') {
    const [dropped, renamed, ...more] = await executor.batch([
      ...rest.map((statement) => bind(statement, values)),
      // Although no record is changed: an organization that was deleted and made again has a clock of long ago, so the
      // instant of an erasure would lie before that of an archive which was made earlier.
      bind(advanceClock, { organizationId, now: nowOf(clock) }),
      readClock,
    ])
    const rows = (dropped?.changes ?? 0) + (renamed?.changes ?? 0)
    return { rows, contacts: 0, clockAt: clockIn(more.at(-1)), next: nextStage(index) }
  }
  const [looked, clockResult] = await resultsOf(executor, [bind(finding(stage), values), readClock])
  const { ids, last } = lookedAt(looked.rows)
  let clockAt = clockIn(clockResult)
  for (let start = 0; start < ids.length; start += CHANGED_MAX) {
    const some = JSON.stringify(ids.slice(start, start + CHANGED_MAX))
    const erasing =
      stage === 'sends'
        ? [bind(eraseSends, { ...values, ids: some })]
        : [
            moveClock(tableOf(stage.collection), organizationId, nowOf(clock)),
            bind(erasedRows(stage, READ_MAX).erase, { organizationId, closedAt, ids: some }),
            ...(stage.collection === 'form-submissions'
              ? [...dropFollowing(organizationId, some, { closedAt }), eraseSendsOf(organizationId, some)]
              : []),
            ...(stage === contacts
              ? [
                  bind(forgetAnswersOf, { organizationId, ids: some }),
                  changedContactsStatement(organizationId, {
                    event: 'contact.removed',
                    ids: some,
                    now: nowOf(clock),
                  }),
                ]
              : []),
          ]
    // In the same step: whoever comes back afterwards does so at a later instant.
    clockAt = clockIn((await executor.batch([...erasing, readClock])).at(-1))
  }
  return stepOf(index, ids, last, clockAt)
}

function clockIn(result: { readonly rows: readonly object[] } | undefined): string | null {
  const [row] = result?.rows ?? []
  return row === undefined ? null : (row as { readonly at: string }).at
}

function nextStage(index: number): string | null {
  return index + 1 < stages.length ? JSON.stringify([index + 1, '']) : null
}

const among = (name: string) => textsOf(slot(name))

/** The statements that erase people from the rows of one collection. */
interface ErasedRows {
  /**
   * Looks at the next rows: the id of the last of them (null: there are no more), and those that are of the person and
   * hold anything of them. Where rows belong to a person by their contact only, all of theirs are found at once.
   */
  readonly find: Template<{ readonly last: string | null; readonly ids: string }>
  readonly erase: Template
}

const made = templateCache<ErasedRows>()

/** The statements for a collection, as its record declares what is personal. */
function erasedRows(resource: Resource, readMax: number): ErasedRows {
  return made(resource.collection, () => statementsOf(resource, readMax))
}

function statementsOf(resource: Resource, readMax: number): ErasedRows {
  const table = tableOf(resource.collection)
  const id = sql.id(table.idColumn)
  const fields = storedFields(resource).flatMap(([name, { field }]) => {
    if (field.personal === null || field.personal === 'no') return []
    const { erased } = field.personal
    const stored = erased === null || field.storage !== 'json' ? erased : JSON.stringify(erased)
    return [{ column: columnOf(table, name).name, erased: sql.lit(stored) }]
  })
  const holdsAny = sql`(${sql.join(fields.map(({ column }) => sql.id(column)))})
    is not (${sql.join(fields.map(({ erased }) => erased))})`
  const instant = sql`coalesce(${writtenAt}, ${slot('closedAt')})`
  const isFoundByContact =
    resource.person !== null && !('stays' in resource.person) && resource.person.carriedIn.length === 0
  return {
    find: isFoundByContact
      ? template(sql<{ readonly last: string | null; readonly ids: string }>`
      select null as last, json_group_array(${id}) as ids from ${sql.id(table.name)}
      where ${ofOwner} and ${isOfPerson(resource, table)} and ${holdsAny}`)
      : template(sql<{ readonly last: string | null; readonly ids: string }>`
      with looked as materialized (select * from ${sql.id(table.name)}
        where ${ofOwner} and ${id} > ${slot('after')} order by ${id} limit ${sql.lit(readMax)})
      select (select max(${id}) from looked) as last,
        (select json_group_array(${id}) from looked where ${isOfPerson(resource, table)} and ${holdsAny}) as ids`),
    // Rows of an organization that is being deleted have no instant any more; the deletion takes them.
    erase: template(sql`
      update ${sql.id(table.name)} set
        ${sql.join(fields.map(({ column, erased }) => sql`${sql.id(column)} = ${erased}`))}, updated_at = ${instant}
      where (organization_id, ${id}) in (select ${organizationId}, value from json_each(${slot('ids')}))
        and ${holdsAny} and ${instant} is not null`),
  }
}

/** A text without what people write between the digits of a phone number, and without zeros at the beginning. */
function digitsOf(text: Expression<unknown>): Expression<unknown> {
  const bare = [' ', '+', '-', '(', ')', '.', '/'].reduce<Expression<unknown>>(
    (rest, sign) => sql`replace(${rest}, ${sql.lit(sign)}, '')`,
    text,
  )
  return sql`ltrim(${bare}, '0')`
}

/** Whether a row has the person's contact, or no contact and one of the addresses. */
function isOfPerson({ person }: Resource, table: Table): Expression<unknown> {
  if (person === null || 'stays' in person) return sql`false`
  const by = person.by === null ? null : sql.id(columnOf(table, person.by).name)
  const carried = person.carriedIn.map((field) => {
    const { name, storage } = columnOf(table, field)
    const column = sql.id(name)
    if (storage !== 'json') return sql`lower(${column}) in ${among('addresses')}`
    const isContact = by === null ? sql`or j.atom in ${among('contactIds')}` : sql``
    return sql`exists (select 1 from json_tree(${column}) as j where j.type in ('text', 'integer') and (
      lower(j.atom) in ${among('addresses')} or ${digitsOf(sql`j.atom`)} in ${among('numbers')} ${isContact}))`
  })
  const carries = carried.length === 0 ? sql`false` : sql`(${sql.join(carried, sql` or `)})`
  if (carried.length === 0 && by !== null) return sql`${by} in ${among('contactIds')}`
  return by === null ? carries : sql`(${by} in ${among('contactIds')} or (${by} is null and ${carries}))`
}
