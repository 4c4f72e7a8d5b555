import { sql, type Expression, type SqlBool } from 'kysely'
import type { KeyClaim, OperatorKeyClaim, StoredOperatorKey } from '../../../ports/organizations.ts'
import type {
  OperatorChanges,
  OpenSession,
  People,
  PersonInRole,
  Session,
  SessionHolder,
} from '../../../ports/operators.ts'
import { operatorKeyFields } from '../../../domain/record/account-fields.ts'
import { keysOf } from '../../../domain/text/encoding.ts'
import { isPlaced } from '../placement/guard.ts'
import { columnName, parsed, type JsonText } from '../statement/database.ts'
import { atMost, bind, db, eb, slot, template, textsOf, exists } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { paged } from '../statement/list.ts'
import { worksNow } from './keyed-storage.ts'

/** What stands in `organization_id` for the whole service. */
const SERVICE = ''

const shown = db
  .selectFrom('people as p')
  .select(['p.person', 'p.organization_id as organizationId', 'p.role', 'p.email', 'p.name'])
  .select(['p.added_at as addedAt', 'p.added_by as addedBy'])

type PersonRow = PersonInRole & { readonly organizationId: string }

const find = template(
  shown.where('p.person', '=', slot('person')).where('p.organization_id', '=', slot('organizationId')),
)

const listAll = paged(shown, ['p.person', 'p.organization_id'], 'asc')
const ofOrganization = shown
  .where('p.organization_id', '=', slot('organizationId'))
  .orderBy('p.person')
  .limit(atMost('limit'))
const listOfOrganization = template(ofOrganization.where('p.person', '>', slot('person')))

/** Those of one role. An organization's people, and those of the service, are few enough to look at all of them. */
const inRole = template(ofOrganization.where('p.role', '=', slot('role')))

const forget = template(db.deleteFrom('people').where('organization_id', '=', slot('organizationId')))

/** Whether a person has a role in another place than this one. */
const hasRoleElsewhere = (person: Expression<string>) =>
  exists(
    db
      .selectFrom('people as other')
      .where('other.person', '=', person)
      .where('other.organization_id', '<>', slot('organizationId')),
  )

/** Those who have a role in this organization alone. */
const leaving = db
  .selectFrom('people as p')
  .select('p.person')
  .where('p.organization_id', '=', slot('organizationId'))
  .where(({ not, ref }) => not(hasRoleElsewhere(ref('p.person'))))
/** Otherwise whoever gets a role elsewhere later would be signed in at once in every browser of before. */
const endSessionsOfLeaving = template(db.deleteFrom('sessions').where('person', 'in', leaving))
const removeLinksOfLeaving = template(db.deleteFrom('sign_in_links').where('person', 'in', leaving))

/** How many links count against a bound. */
const sent = db
  .selectFrom('sign_in_links as l')
  .select(({ fn }) => fn.countAll<number>().as('count'))
  .where('l.created_at', '>', slot('since'))

const hasRole = exists(db.selectFrom('people as p').where('p.person', '=', slot('person')))

const addLink = template(
  insertWhen(
    'sign_in_links',
    slotsOf(['hash', 'person', 'browserHash', 'network', 'createdAt']),
    eb.and([
      hasRole,
      eb(sent.where('l.person', '=', slot('person')), '<', slot('perPerson')),
      eb.or([
        eb(slot<string | null>('network'), 'is', null),
        eb(sent.where('l.network', '=', slot('network')), '<', slot('perNetwork')),
      ]),
    ]),
  ),
)
const removeLinks = template(db.deleteFrom('sign_in_links').where('created_at', '<', slot('keptSince')))
/** The address of a person is that of the role which was given first. */
const addressOf = template(
  db
    .selectFrom('people as p')
    .innerJoin('sign_in_links as l', 'l.person', 'p.person')
    .select('p.email')
    .where('l.hash', '=', slot('hash'))
    .orderBy('p.added_at')
    .limit(sql.lit(1)),
)

/** Links that still open a session, if the right browser comes. */
const usable = db
  .selectFrom('sign_in_links as l')
  .where('l.hash', '=', slot('linkHash'))
  .where('l.used_at', 'is', null)
  .where('l.created_at', '>=', slot('since'))
  .where(exists(db.selectFrom('people as p').where('p.person', '=', sql.ref<string>('l.person'))))
const sessionFields = ['hash', 'sessionId', 'createdAt', 'lastSeenAt', 'expiresAt', 'browser'] as const
const findLink = template(usable.select('l.browser_hash as browserHash'))
const openByLink = template(
  db
    .insertInto('sessions')
    .columns(['person', ...sessionFields.map(columnName)])
    .expression(
      usable
        .where('l.browser_hash', '=', slot('browserHash'))
        .select(['l.person', ...sessionFields.map((field) => slot(field).as(field))]),
    ),
)
const useUp = template(
  db
    .updateTable('sign_in_links')
    .set({ used_at: slot('createdAt') })
    .where('hash', '=', slot('linkHash'))
    .where('used_at', 'is', null)
    .where('browser_hash', '=', slot('browserHash'))
    .where(exists(db.selectFrom('sessions as s').where('s.hash', '=', slot('hash')))),
)

const openSession = template(db.insertInto('sessions').values(slotsOf(['person', 'claim', ...sessionFields])))
const removeEnded = template(db.deleteFrom('sessions').where('expires_at', '<=', slot('now')))

const working = db
  .selectFrom('sessions as s')
  .select(['s.session_id as sessionId', 's.created_at as createdAt', 's.last_seen_at as lastSeenAt'])
  .select(['s.expires_at as expiresAt', 's.browser'])
  .where('s.expires_at', '>', slot('now'))
  .where('s.last_seen_at', '>=', slot('usedSince'))

/** A part of the claim of the key that opened a session; null: a person did. */
const claimed = (part: 'keyId' | 'organizationId') =>
  sql<string>`json_extract(s.claim, ${sql.lit(`$.${part}`)})`
const claimedHashes = sql<string>`(select value from json_each(s.claim, '$.hashes'))`

/** The operator key of a session, while it works. */
const operatorKey = db
  .selectFrom('operator_keys as k')
  .where('k.key_id', '=', claimed('keyId'))
  .where('k.hash', 'in', claimedHashes)
  .where(({ ref }) => worksNow((column) => ref(`k.${column}`)))
  .select(
    sql<JsonText<StoredOperatorKey>>`json_object(${sql.join(
      keysOf(operatorKeyFields).flatMap((field) => [sql.lit(field), sql.ref(`k.${columnName(field)}`)]),
    )})`.as('key'),
  )
/** The tenant key of a session, if it is in this database and works. */
const tenantKey = db
  .selectFrom('api_keys as k')
  .innerJoin('organizations as o', 'o.organization_id', 'k.organization_id')
  .where('k.key_id', '=', claimed('keyId'))
  .where('k.organization_id', '=', claimed('organizationId'))
  .where('k.kind', '=', sql.lit('tenant'))
  .where('k.hash', 'in', claimedHashes)
  .where(({ ref }) => worksNow((column) => ref(`k.${column}`)))
  .select(sql<number>`1`.as('isProven'))

/** A session and what its right depends on, so that no request reads twice to find out who asks. */
const findSession = template(
  working.where('s.hash', 'in', textsOf(slot('hashes'))).select([
    's.person',
    's.claim',
    sql<JsonText<readonly PersonRow[]>>`(select json_group_array(json_object('person', p.person,
        'organizationId', p.organization_id, 'role', p.role, 'email', p.email, 'name', p.name,
        'addedAt', p.added_at, 'addedBy', p.added_by)) from people as p where p.person = s.person)`.as(
      'roles',
    ),
    sql<JsonText<StoredOperatorKey> | null>`${operatorKey}`.as('operatorKey'),
    sql<number | null>`case when ${isPlaced(claimed('organizationId'))} then 0 else ${tenantKey} end`.as(
      'isProven',
    ),
  ]),
)
const sessionsOf = template(
  working
    .where('s.person', '=', slot('person'))
    .orderBy('s.created_at', 'desc')
    .orderBy('s.hash')
    .limit(sql.lit(100)),
)
const noteUse = template(
  db
    .updateTable('sessions')
    .set({ last_seen_at: slot('now') })
    .where('hash', 'in', textsOf(slot('hashes')))
    .where('last_seen_at', '<', slot('now')),
)
const endSession = template(db.deleteFrom('sessions').where('hash', 'in', textsOf(slot('hashes'))))
const ofPerson = db.deleteFrom('sessions').where('person', '=', slot('person'))
const endOneOf = template(ofPerson.where('session_id', '=', slot('sessionId')))
const endAllOf = template(ofPerson)

/** People and their sessions, which are in the shared database. */
export function createPeople(executor: Executor): People {
  return {
    async find(person, organizationId) {
      const values = { person, organizationId: organizationId ?? SERVICE }
      return (await rowsOf(executor, bind(find, values))).map(personOf)[0] ?? null
    },
    async list(organizationId, after, limit) {
      const person = after?.person ?? ''
      const page =
        organizationId === null
          ? bind(listAll, { value: person, id: after?.organizationId ?? SERVICE, limit })
          : bind(listOfOrganization, { organizationId, person, limit })
      return (await rowsOf(executor, page)).map(personOf)
    },
    async answerable(organizationId, limit) {
      const [owners, admins] = await resultsOf(executor, [
        bind(inRole, { organizationId, role: 'owner', limit }),
        bind(inRole, { organizationId: SERVICE, role: 'admin', limit }),
      ])
      const rows = [...owners.rows, ...admins.rows]
      return [...Map.groupBy(rows, ({ person }) => person).values()].flatMap(([first]) =>
        first === undefined ? [] : [personOf(first)],
      )
    },
    async forget(organizationId) {
      const statements = [endSessionsOfLeaving, removeLinksOfLeaving, forget]
      await executor.batch(statements.map((statement) => bind(statement, { organizationId })))
    },
    async addLink(link, bounds) {
      const values = { ...link, ...bounds }
      const [, , { rows }] = await resultsOf(executor, [
        bind(removeLinks, values),
        bind(addLink, values),
        bind(addressOf, values),
      ])
      return rows[0]?.email ?? null
    },
    async useLink({ hash: linkHash, browserHash, since }, session, hash) {
      const values = { ...session, linkHash, browserHash, since, hash }
      const [{ rows }, { changes }] = await resultsOf(executor, [
        bind(findLink, values),
        bind(openByLink, values),
        bind(useUp, values),
        bind(removeEnded, { now: session.createdAt }),
      ])
      if (changes > 0) return 'opened'
      return rows.length > 0 ? 'elsewhere' : 'gone'
    },
    async openSession({ by, ...session }, hash) {
      const person = by.kind === 'person' ? by.person : null
      const claim = by.kind === 'person' ? null : JSON.stringify(by.claim)
      await executor.batch([
        bind(removeEnded, { now: session.createdAt }),
        bind(openSession, { ...session, hash, person, claim }),
      ])
    },
    async findSession(hashes, times) {
      const values = { hashes: JSON.stringify(hashes), ...times }
      const [row] = await rowsOf(executor, bind(findSession, values))
      if (row === undefined) return null
      const { person, claim, roles, operatorKey: key, isProven, ...session } = row
      const by = holderOf({ person, claim, roles, key, isProven })
      return by === null ? null : ({ ...session, by } satisfies OpenSession)
    },
    async noteUse(hashes, now) {
      await executor.batch([bind(noteUse, { hashes: JSON.stringify(hashes), now })])
    },
    async sessionsOf(person, times) {
      return (await rowsOf(executor, bind(sessionsOf, { person, ...times }))) satisfies readonly Session[]
    },
    async endSession(hashes) {
      await executor.batch([bind(endSession, { hashes: JSON.stringify(hashes) })])
    },
    async endSessionsOf(person, sessionId) {
      const statement =
        sessionId === null ? bind(endAllOf, { person }) : bind(endOneOf, { person, sessionId })
      const [{ changes }] = await resultsOf(executor, [statement])
      return changes
    },
  }
}

function personOf(row: PersonRow): PersonInRole {
  return { ...row, organizationId: row.organizationId === SERVICE ? null : row.organizationId }
}

/** What is stored of who has a session. */
interface HolderRow {
  readonly person: string | null
  readonly claim: JsonText<KeyClaim | OperatorKeyClaim> | null
  readonly roles: JsonText<readonly PersonRow[]>
  readonly key: JsonText<StoredOperatorKey> | null
  readonly isProven: number | null
}

/** Who has a session; null: the key that opened it has ended. */
function holderOf({ person, claim, roles, key, isProven }: HolderRow): SessionHolder | null {
  if (person !== null || claim === null)
    return { kind: 'person', person: person ?? '', roles: parsed(roles).map(personOf) }
  const given = parsed(claim)
  if ('organizationId' in given)
    return isProven === null ? null : { kind: 'tenantKey', claim: given, isProven: isProven === 1 }
  return key === null ? null : { kind: 'operatorKey', key: parsed(key) }
}

const was = db
  .selectFrom('people as was')
  .where('was.person', '=', slot('person'))
  .where('was.organization_id', '=', slot('organizationId'))

/** Whether a person is still as the change expects. The slots are those of `expected`. */
const asExpected = eb.or([
  eb(slot<number | null>('isExpected'), 'is', null),
  eb.and([
    eb(was.select(sql<number>`count(*)`.as('count')), '=', slot('isExpected')),
    eb.not(
      exists(
        was.where(({ eb, or }) =>
          or([eb('was.role', 'is not', slot('wasRole')), eb('was.name', 'is not', slot('wasName'))]),
        ),
      ),
    ),
  ]),
])

function expected(replaced: Pick<PersonInRole, 'role' | 'name'> | null | undefined) {
  return {
    isExpected: replaced === undefined ? null : Number(replaced !== null),
    wasRole: replaced?.role ?? null,
    wasName: replaced?.name ?? null,
  }
}

/**
 * Whether who asks for a change may still do so: a person who lost their role meanwhile may not. Null: an operator key
 * asks.
 * @param organizationId the one of which the person must be an owner, if not an admin of the whole service
 */
export function mayStillChange(
  asking: Expression<string | null>,
  organizationId: Expression<string | null>,
): Expression<SqlBool> {
  return eb.or([
    eb(asking, 'is', null),
    exists(
      db
        .selectFrom('people as asking')
        .where('asking.person', '=', asking)
        .where(({ eb, or }) =>
          or([
            eb.and([
              eb('asking.organization_id', '=', sql.lit(SERVICE)),
              eb('asking.role', '=', sql.lit('admin')),
            ]),
            eb.and([
              eb('asking.organization_id', '=', organizationId),
              eb('asking.role', '=', sql.lit('owner')),
            ]),
          ]),
        ),
    ),
  ])
}

const mayChange = eb.and([
  asExpected,
  mayStillChange(slot<string | null>('asking'), slot<string>('organizationId')),
])

/**
 * What a person has with their role in a place, and ends with it if a condition holds: the sessions, and the links that
 * would open another one. A role in the service ends all of it, another one that of whoever has no other role.
 */
const ending = (condition: Expression<SqlBool>) => {
  const isService = eb(slot<string>('organizationId'), '=', sql.lit(SERVICE))
  const ends = eb.and([eb.or([isService, eb.not(hasRoleElsewhere(slot<string>('person')))]), condition])
  // Links that are used up still count against the bound of an hour.
  const useUpAll = db
    .updateTable('sign_in_links')
    .set(({ ref }) => ({ used_at: ref('created_at') }))
    .where('person', '=', slot('person'))
    .where('used_at', 'is', null)
  return [template<unknown>(ofPerson.where(ends)), template<unknown>(useUpAll.where(ends))]
}

/** Roles in several places at once are given by admins alone, so that one condition holds for all of them. */
const mayAdd = mayStillChange(slot<string | null>('asking'), sql.lit(null))

const isOtherRole = exists(was.where('was.role', '<>', slot('role')))
const endsOnChange = ending(eb.and([isOtherRole, mayChange]))
const endsOnAddition = ending(eb.and([isOtherRole, mayAdd]))
const giveRole = (
  may: Expression<SqlBool>,
  named: (name: Expression<string | null>) => Expression<string | null>,
) =>
  insertWhen(
    'people',
    slotsOf(['person', 'organizationId', 'role', 'email', 'name', 'addedAt', 'addedBy']),
    may,
  ).onConflict((conflict) =>
    conflict
      .columns(['person', 'organization_id'])
      .doUpdateSet(({ ref }) => ({ role: ref('excluded.role'), name: named(ref('excluded.name')) })),
  )
const savePerson = template(giveRole(mayChange, (name) => name))
const addPerson = template(giveRole(mayAdd, (name) => sql`coalesce(${name}, people.name)`))
const endsOnRemoval = ending(eb.and([exists(was), mayChange]))
const removePerson = template(
  db
    .deleteFrom('people')
    .where('person', '=', slot('person'))
    .where('organization_id', '=', slot('organizationId'))
    .where(mayChange),
)

/**
 * The changes of people.
 * @param recording records the change with the last statement of each batch
 * @param recordOf the statement that records one of several changes in a batch, by default under the id of the first
 */
export function peopleChanges(
  recording: Executor,
  executor: Executor,
  recordOf: (auditId: string | undefined, organizationId: string | null) => Statement,
): Pick<OperatorChanges, 'savePerson' | 'addPerson' | 'removePerson' | 'endSessions'> {
  const change = async (statements: Parameters<typeof resultsOf>[1]): Promise<boolean> =>
    ((await recording.batch(statements)).at(-1)?.changes ?? 0) > 0
  return {
    savePerson: ({ organizationId, ...person }, replaced, asking) => {
      const values = { ...person, organizationId: organizationId ?? SERVICE, ...expected(replaced), asking }
      return change([...endsOnChange, savePerson].map((statement) => bind(statement, values)))
    },
    async addPerson(roles, auditIds, asking) {
      const statements = roles.map(({ organizationId, ...person }, index) => {
        const place = organizationId ?? SERVICE
        const values = { ...person, organizationId: place, asking }
        const changes = [...endsOnAddition, addPerson].map((statement) => bind(statement, values))
        return [...changes, recordOf(auditIds[index - 1], organizationId)]
      })
      const results = await executor.batch(statements.flat())
      return (results[endsOnAddition.length]?.changes ?? 0) > 0
    },
    removePerson: ({ person, organizationId }, replaced, asking) => {
      const values = { person, organizationId: organizationId ?? SERVICE, ...expected(replaced), asking }
      return change([...endsOnRemoval, removePerson].map((statement) => bind(statement, values)))
    },
    async endSessions(person) {
      const [ended] = await recording.batch([bind(endAllOf, { person })])
      return ended?.changes ?? 0
    },
  }
}
