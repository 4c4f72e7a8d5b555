import { sql, type Expression, type SqlBool } from 'kysely'
import { automations } from '../../../domain/resources/automations.ts'
import { contactLists } from '../../../domain/resources/contact-lists.ts'
import { contacts } from '../../../domain/resources/contacts.ts'
import { forms } from '../../../domain/resources/forms.ts'
import { formSubmissions } from '../../../domain/resources/form-submissions.ts'
import { references } from '../../../domain/resources/index.ts'
import { withoutVersions, moveClock, writableTable } from '../write/tenant-writer.ts'
import type {
  ReferringRows,
  RowKey,
  RowsRemoved,
  Deletion,
  ErasureLedger,
  ErasureMark,
} from '../../../ports/organization-store.ts'
import { openImports } from '../imports/session-states.ts'
import {
  bind,
  eb,
  slot,
  template,
  ofOwner,
  CONDITION_HELD,
  failsWhen,
  atMost,
  db,
  one,
  advanceClock,
  jsonEach,
  textsOf,
  excluded,
  jsonChunks,
  exists,
} from '../statement/compiler.ts'
import { resultsOf, type Executor, type Statement, rowsOf } from '../statement/executor.ts'
import { columnOf, tableOf, type Table } from '../tables.ts'
import { eventStatement } from '../outbox/webhooks.ts'
import { readMovedTables, tuple, readKnownTriggers } from '../move/moved-rows.ts'
import { dropFollowing } from './retention.ts'
import { DELETION } from '../placement/rules.ts'
import { insertWhen } from '../statement/insert.ts'
import { hasRows } from '../archive.ts'

const given = sql`json_each(${slot('keys')})`

/** How many of the unknown keys are named. */
const NAMED_MAX = 10

/** Removes rows by their keys, all or none. The keys fit into one parameter. */
export async function removeRows(
  executor: Executor,
  organizationId: string,
  collection: string,
  keys: readonly RowKey[],
  now: string,
): Promise<RowsRemoved> {
  const table = writableTable(collection)
  const distinct = [...new Set(keys.map((key) => JSON.stringify(key)))]
  const values = { organizationId, keys: `[${distinct.join()}]` }
  const referring = referringTo(table, collection)
  const problems = [unknownKeys(table), ...referring.map(({ rows }) => rows)]
  const isProblem = problems.map((rows) => sql<SqlBool>`exists (${rows})`)
  const guard = failsWhen(eb.or([...isProblem, eb.exists(openImports)]))
  const key = tuple(table.keyColumns.map((column) => sql.id(column)))
  const remove = template(sql`delete from ${sql.id(table.name)}
    where ${ofOwner} and ${key} in (select ${keyValues(table)} from ${given})`)
  try {
    await executor.batch([
      bind(guard, values),
      moveClock(table, organizationId, now),
      ...followingOf(collection, organizationId, keys, now),
      bind(remove, values),
    ])
    return { kind: 'removed', rows: distinct.length }
  } catch (error) {
    if (!CONDITION_HELD.test(String(error))) throw error
  }
  const [unknown, importing, ...counts] = await resultsOf(executor, [
    bind(template(sql<{ readonly key: string }>`${unknownKeys(table)} limit ${sql.lit(NAMED_MAX)}`), values),
    bind(template(openImports.limit(sql.lit(1))), values),
    ...referring.map(({ rows }) =>
      bind(template(sql<{ readonly count: number }>`select count(*) as count from (${rows})`), values),
    ),
  ])
  const [open] = importing.rows
  if (open !== undefined) return { kind: 'importing', importId: open.id }
  const named = unknown.rows.map(({ key }) => JSON.parse(key) as RowKey)
  if (named.length > 0) return { kind: 'unknown', keys: named }
  const by = referring.map(({ collection: from }, index): ReferringRows => {
    return { collection: from, rows: counts[index]?.rows[0]?.count ?? 0 }
  })
  return { kind: 'needed', by: by.filter(({ rows }) => rows > 0) }
}

/**
 * The statements for what goes with rows: what was still to be done because of them, and what they were before; and for
 * what webhooks are told of it.
 */
function followingOf(
  collection: string,
  organizationId: string,
  keys: readonly RowKey[],
  now: string,
): readonly Statement[] {
  if (collection === contacts.collection) {
    const ids = JSON.stringify([...new Set(keys.flat())])
    return [eventStatement(organizationId, { event: 'contact.removed', ids, now })]
  }
  if (collection === formSubmissions.collection)
    return dropFollowing(organizationId, JSON.stringify(keys.flat()))
  return collection === forms.collection ? [withoutVersions(organizationId, JSON.stringify(keys))] : []
}

/** The values of a given key, in the order of the key's columns. */
function keyValues({ keyColumns }: Table): Expression<unknown> {
  return sql.join(keyColumns.map((_, index) => sql`value ->> ${sql.lit(index)}`))
}

function unknownKeys(table: Table): Expression<unknown> {
  const isKey = table.keyColumns.map(
    (column, index) => sql`${sql.id('t', column)} = k.value ->> ${sql.lit(index)}`,
  )
  return sql`select k.value as key from ${given} as k where not exists (select 1 from ${sql.id(table.name)} as t
    where t.${ofOwner} and ${sql.join(isKey, sql` and `)})`
}

/** The rows of other collections that need the given ones. */
function referringTo(table: Table, collection: string) {
  const place = sql.lit(table.keyColumns.indexOf(table.idColumn))
  const ids = sql`(select value ->> ${place} from ${given})`
  const byField = references
    .filter(({ to, from }) => to === collection && from !== collection)
    .map(({ from, by }) => {
      const other = tableOf(from)
      const column = sql.id(columnOf(other, by).name)
      return {
        collection: from,
        rows: sql`select 1 from ${sql.id(other.name)} where ${ofOwner} and ${column} in ${ids}`,
      }
    })
  const inAutomations = ofAutomations[collection]?.(ids)
  if (inAutomations === undefined) return byField
  const rows = sql`select 1 from automations where ${ofOwner} and ${inAutomations}`
  return [...byField, { collection: automations.collection, rows }]
}

/** What an automation needs of other collections: the form that triggers it, and the lists of its steps. */
const ofAutomations: Readonly<Record<string, (ids: Expression<unknown>) => Expression<unknown>>> = {
  [forms.collection]: (ids) => sql`trigger_form_id in ${ids}`,
  [contactLists.collection]: (ids) =>
    sql`exists (select 1 from json_each(automations.steps) as s where s.value ->> 'listId' in ${ids})`,
}

const organizationId = slot<string>('organizationId')

/** How many rows one step deletes. Other organizations of the database wait meanwhile. */
const DELETED_MAX = 500

/** What closes an organization while it is deleted; it goes last. */
const CLOSING = 'restores'

const thisOne = db.selectFrom('organizations').where('organization_id', '=', organizationId)
const isThere = eb.or([
  exists(thisOne),
  exists(db.selectFrom('restores').where('organization_id', '=', organizationId)),
])
const hasChildren = exists(db.selectFrom('organizations').where('parent_id', '=', organizationId))

const judge = template(db.selectNoFrom([isThere.as('isThere'), hasChildren.as('hasChildren')]))

const close = template(
  insertWhen(
    'restores',
    { organization_id: organizationId, ...DELETION, started_at: slot('now') },
    eb.and([isThere, eb.not(hasChildren)]),
  ).onConflict((conflict) => conflict.columns(['organization_id', 'restore_id']).doNothing()),
)

const isClosed = exists(
  db
    .selectFrom('restores')
    .where('organization_id', '=', organizationId)
    .where('restore_id', '=', DELETION.restore_id),
)

/** The parent no longer reads the reviews, which leaves removals in it. */
const untie = db.updateTable('organizations').set({ parent_id: sql`null` })

/** In this order. An import that is being written finds no more to write. */
const ends = [
  untie.where('organization_id', '=', organizationId).where(isClosed),
  ...(['api_keys', 'import_sessions', 'organizations'] as const).map((table) =>
    db.deleteFrom(table).where('organization_id', '=', organizationId).where(isClosed),
  ),
].map((end) => template<unknown>(end))

const ofRestores = db.deleteFrom(CLOSING).where('organization_id', '=', organizationId)
const endRestorations = template(ofRestores.where('restore_id', '<>', DELETION.restore_id).where(isClosed))
const reopen = template(ofRestores)
const findParent = template(thisOne.select('parent_id as id'))

/** Deletes one organization of a database. */
export function createDeletion(executor: Executor, organizationId: string): Deletion {
  return {
    async beginDeletion(now) {
      const values = { organizationId, now }
      const [parent] = await resultsOf(executor, [bind(findParent, values)])
      const [judgement] = await resultsOf(executor, [
        bind(judge, values),
        bind(close, values),
        bind(endRestorations, values),
        bind(advanceClock, { organizationId: parent.rows[0]?.id ?? null, now }),
        ...ends.map((end) => bind(end, values)),
      ])
      const [row] = judgement.rows
      if (row?.hasChildren === 1) return 'has_children'
      return row?.isThere === 1 ? 'begun' : 'unknown'
    },
    deleteSome: () => deleteSome(executor, organizationId),
  }
}

async function deleteSome(executor: Executor, organizationId: string) {
  const tables = (await readMovedTables(executor)).filter(({ name }) => name !== CLOSING)
  const looks = tables.map(({ name }) =>
    bind(template(db.selectNoFrom(hasRows(name).as('has'))), { organizationId }),
  )
  const found = await resultsOf(executor, looks)
  const table = tables.find((_, index) => found[index]?.rows[0]?.has === 1)
  if (table === undefined) {
    await executor.batch([bind(reopen, { organizationId })])
    return null
  }
  const key = sql.join(table.key.map((column) => sql.id(column)))
  const some = template(sql<{ readonly one: number }>`
    delete from ${sql.id(table.name)} where ${tuple(table.key.map((column) => sql.id(column)))} in (
      select ${key} from ${sql.id(table.name)} where ${ofOwner} limit ${atMost('limit')}) returning 1 as one`)
  const triggers = await readKnownTriggers(executor, table.name)
  const statement = bind(some, { organizationId, limit: DELETED_MAX })
  const statements = triggers.silenced(table.name, [statement])
  const results = await executor.batch(statements)
  return { table: table.name, rows: results[statements.indexOf(statement)]?.rows.length ?? 0 }
}

const recordErased = template(
  db
    .insertInto('erasures')
    .columns(['organization_id', 'kind', 'value', 'secret_version', 'erased_at', 'recorded_at'])
    .expression(
      db
        .selectFrom(jsonEach<string, 'm'>(slot('marks'), 'm'))
        .select([
          slot<string>('organizationId').as('organization_id'),
          sql<ErasureMark['kind']>`m.value ->> 0`.as('kind'),
          sql<string>`m.value ->> 1`.as('value'),
          sql<string>`m.value ->> 2`.as('secret_version'),
          slot<string>('erasedAt').as('erased_at'),
          slot<string>('recordedAt').as('recorded_at'),
        ])
        // Without a condition, SQLite takes what follows for a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'kind', 'value'])
        .doUpdateSet(excluded(['erased_at', 'recorded_at']))
        .where(sql<boolean>`excluded.erased_at > erasures.erased_at`),
    ),
)

const listErased = template(
  db
    .selectFrom('erasures')
    .select(['organization_id as organizationId', 'kind', 'value', 'secret_version as secretVersion'])
    .select('erased_at as erasedAt')
    .where('organization_id', 'in', textsOf(slot('organizationIds')))
    .where('erased_at', '>', slot('instant'))
    .where(
      sql<SqlBool>`(organization_id, kind, value)
        > (${slot('afterOrganization')}, ${slot('afterKind')}, ${slot('afterValue')})`,
    )
    .orderBy('organization_id')
    .orderBy('kind')
    .orderBy('value')
    .limit(atMost('limit')),
)

const forgetErased = template(
  db
    .deleteFrom('erasures')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('organization_id', 'kind', 'value'),
        'in',
        db
          .selectFrom('erasures as e')
          .select(['e.organization_id', 'e.kind', 'e.value'])
          .where('e.recorded_at', '<', slot('before'))
          .orderBy('e.recorded_at')
          .limit(atMost('limit'))
          .$asTuple('organization_id', 'kind', 'value'),
      ),
    )
    .returning(one),
)

/** Who was erased, as the shared database records it. No I/O. */
export function createErasureLedger(executor: Executor): ErasureLedger {
  return {
    async record(organizationId, marks, erasedAt, recordedAt) {
      const rows = marks.map(({ kind, value, secretVersion }) => [kind, value, secretVersion])
      const values = { organizationId, erasedAt, recordedAt }
      const statements = jsonChunks(rows).map((chunk) => bind(recordErased, { ...values, marks: chunk }))
      if (statements.length > 0) await executor.batch(statements)
    },
    async since(organizationIds, instant, after, limit) {
      const position = {
        afterOrganization: after?.organizationId ?? '',
        afterKind: after?.kind ?? '',
        afterValue: after?.value ?? '',
      }
      const values = { organizationIds: JSON.stringify(organizationIds), instant, ...position, limit }
      return rowsOf(executor, bind(listErased, values))
    },
    async forget(before, limit) {
      return (await rowsOf(executor, bind(forgetErased, { before, limit }))).length
    },
  }
}
