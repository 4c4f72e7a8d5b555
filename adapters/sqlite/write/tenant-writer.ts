import { sql, type SqlBool, type Expression, type RawBuilder } from 'kysely'
import { templateCache } from '../../sql/statement.ts'
import type { Clock } from '../../../ports/platform.ts'
import { storedRowsOf } from '../../../domain/read/page.ts'
import { resourceOf } from '../../../domain/resources/index.ts'
import type { TenantWriter, StoredRow, FormDefinition, FormVersion } from '../../../ports/records.ts'
import {
  bind,
  slot,
  template,
  CONDITION_HELD,
  failsWhen,
  jsonChunks,
  type Template,
  nowOf,
  advanceClock,
  db,
  advance,
} from '../statement/compiler.ts'
import { decodeRows, serviceTables, columnOf, tableOf, type Table, type Column } from '../tables.ts'
import { resultsOf, rowsAmong, type Statement, rowsOf, type Executor } from '../statement/executor.ts'
import { readBoundedPage, pageStatements } from '../read/pages.ts'
import { selectFrom } from '../read/page-select.ts'
import type { TenantExecutors } from '../placement/guard.ts'
import { createSubmissionMarks } from './submission-marks.ts'
import { createSubmissionWriter } from './submission.ts'
import { parsed, type JsonText } from '../statement/database.ts'

const pageStatementsOf = pageStatements(serviceTables)

/**
 * Matches SQLite's error for a form id that another organization has. That is the only unique index across
 * organizations.
 */
const FOREIGN_FORM_ID = /UNIQUE constraint failed: forms\.form_id/

function refusalOf(error: unknown): unknown {
  if (!FOREIGN_FORM_ID.test(String(error))) return error
  return new Error('A form id belongs to another organization', { cause: error })
}

/** The statements that find rows by their keys. */
const finding = templateCache<Template<Record<string, unknown>>>()

/**
 * The statements around a change of rows: the first fails when one of them is not as it is expected, the last gives their
 * `updated_at`. The slot `expected` has, for each, its id and the `updated_at` that it replaces.
 */
function changeTemplates({ idColumn, name, columns }: Table) {
  if (!columns.has('updatedAt')) throw new Error(`${name} does not say when a row was changed`)
  const those = sql`json_each(${slot('expected')}) as e left join ${sql.id(name)} as t
    on t.organization_id = ${slot('organizationId')} and ${sql.id('t', idColumn)} = e.value ->> 0`
  return {
    guard: failsWhen(sql<SqlBool>`exists (select 1 from ${those} where t.updated_at is not e.value ->> 1)`),
    find: template(sql<{ readonly at: string }>`select t.updated_at as at from ${those} order by e.key`),
  }
}

/**
 * Opens one organization for writing. An upsert is one batch whatever its size, so callers must bound it (a batch may
 * take 30 s).
 */
export function createTenantWriter(
  executors: TenantExecutors,
  clock: Clock,
  organizationId: string,
): TenantWriter {
  const { executor } = executors
  return {
    ...createSubmissionWriter(executors, clock, organizationId),
    ...createSubmissionMarks(executor, clock, organizationId),

    async upsert(collection, rows) {
      if (rows.length === 0) return { changed: 0 }
      const statements = upsertStatements(organizationId, collection, rows, nowOf(clock))
      const [, ...upserts] = await executor.batch(statements).catch((error: unknown) => {
        throw refusalOf(error)
      })
      return { changed: upserts.reduce((sum, { rows: changed }) => sum + changed.length, 0) }
    },

    ...createFormVersions(executor, organizationId),

    async change(collection, changes, savedBy) {
      if (changes.length === 0) return []
      const { guard, find } = changeTemplates(writableTable(collection))
      const { idField } = resourceOf(collection)
      const expected = changes.map(({ row, replaces }) => [row[idField], replaces])
      const values = { organizationId, expected: JSON.stringify(expected) }
      const rows = changes.map(({ row }) => row)
      const formIds = changes.map(({ row }) => String(row[idField]))
      const versions = savedBy === undefined ? null : versionStatements(organizationId, formIds, savedBy)
      const [move, ...upserts] = upsertStatements(organizationId, collection, rows, nowOf(clock))
      try {
        const written = await rowsAmong(executor, {
          before: [bind(guard, values), move, ...(versions?.before ?? []), ...upserts],
          giving: bind(find, values),
          after: versions?.after ?? [],
        })
        return written.map(({ at }) => at)
      } catch (error) {
        if (CONDITION_HELD.test(String(error))) return null
        throw refusalOf(error)
      }
    },

    async foreignIds(collection, ids) {
      const { name: table, idColumn, serviceWideIds } = tableOf(collection)
      if (!serviceWideIds || ids.length === 0) return []
      const foreign = template(sql<{ readonly id: string }>`
        select ${sql.id(idColumn)} as id from ${sql.id(table)}
        where ${sql.id(idColumn)} in (select value from json_each(${slot('ids')}))
          and organization_id <> ${slot('organizationId')}`)
      const results = await resultsOf(
        executor,
        jsonChunks(ids).map((chunk) => bind(foreign, { organizationId, ids: chunk })),
      )
      return results.flatMap(({ rows }) => rows.map(({ id }) => id))
    },

    async findMany(collection, select, keys, by) {
      if (keys.length === 0) return []
      const table = tableOf(collection)
      const keyColumn = by === undefined ? table.idColumn : columnOf(table, by).name
      // Key by key: otherwise SQLite would rather walk an index of the whole organization that has all selected columns.
      const find = finding([table.name, keyColumn, ...select].join(' '), () => {
        const from = sql`json_each(${slot('keys')}) as k cross join ${sql.id(table.name)} as t
          on ${sql.id('t', 'organization_id')} = ${slot('organizationId')} and ${sql.id('t', keyColumn)} = k.value`
        return template(selectFrom(table, select, 'columns', from))
      })
      const chunks = jsonChunks([...new Set(keys)])
      const statements = chunks.map((chunk) => bind(find, { organizationId, keys: chunk }))
      const results = await resultsOf(executor, statements)
      return results.flatMap(({ rows }) => decodeRows(table, select, rows))
    },

    async findPage(query) {
      const found = await readBoundedPage(executor, pageStatementsOf(organizationId, query))
      const { stoppedAt } = found
      if (found.kind === 'lines') return { rows: storedRowsOf(found), stoppedAt }
      return { rows: decodeRows(tableOf(query.collection), query.select, found.rows), stoppedAt }
    },
  }
}

const templates = new WeakMap<Table, Template>()

/**
 * The statements that insert or update rows of an organization, for one batch. The first one moves the organization's
 * clock.
 */
export function upsertStatements(
  organizationId: string,
  collection: string,
  rows: readonly StoredRow[],
  now: string,
): readonly [Statement, ...Statement[]] {
  const table = writableTable(collection)
  return [moveClock(table, organizationId, now), ...upsertRows(table, organizationId, rows)]
}

/** The table of a collection. Throws for a collection that the store maintains itself. */
export function writableTable(collection: string): Table {
  const table = tableOf(collection)
  if (table.isKept) throw new Error(`${collection} cannot be written: the store keeps it from other rows`)
  return table
}

/**
 * Moves the clocks of an organization and of its parent, each independently, for a write that changes rows of both.
 * Both organizations are always in the same database.
 */
const advanceClocks = template(() =>
  advance().where('organization_id', 'in', [
    slot('organizationId'),
    db
      .selectFrom('organizations')
      .select('parent_id')
      .where('organization_id', '=', slot('organizationId'))
      .$asScalar(),
  ]),
)

/**
 * Moves the clock of the organization, and of its parent where the parent sees the table's rows. It must be the first
 * statement of its batch.
 */
export function moveClock(table: Table, organizationId: string, now: string): Statement {
  return bind(table.seenByParent ? advanceClocks : advanceClock, { organizationId, now })
}

/**
 * The statements that insert or update rows of an owner by their key. Each returns a row for every one that changed.
 */
export function upsertRows(table: Table, owner: string, rows: readonly StoredRow[]): readonly Statement[] {
  const upsert =
    templates.get(table) ?? template(sql`${upsertOf(table, givenFields(table))} returning 1 as changed`)
  templates.set(table, upsert)
  return jsonChunks(encodedRows(table, givenFields(table), rows)).map((chunk) =>
    bind(upsert, { owner, rows: chunk }),
  )
}

/** The fields of a table that a given row must have, in the order of its columns. */
export function givenFields(table: Table): readonly string[] {
  return [...table.columns.values()].flatMap(({ field, assigned }) => (assigned ? [] : [field]))
}

/** Stands for a field that a row is written without, and whose stored value stays. No column has a truth value as text. */
const KEPT = false

/** Rows as arrays of the values of these fields. */
export function encodedRows(
  table: Table,
  fields: readonly string[],
  rows: readonly StoredRow[],
): readonly (readonly unknown[])[] {
  const columns = fields.map((field) => columnOf(table, field))
  return rows.map((row) =>
    columns.map(({ field, storage, mayBeLeftOut }) =>
      mayBeLeftOut && row[field] === undefined ? KEPT : encode(row[field], storage),
    ),
  )
}

/**
 * Encodes one value. JSON columns are sent as text inside the JSON of the chunk, so that they are stored exactly as
 * they were serialised.
 */
function encode(value: unknown, storage: Column['storage']): unknown {
  if (value === null || value === undefined) return null
  if (storage === 'json') return JSON.stringify(value)
  // A lone surrogate has no UTF-8 form; SQLite would store bytes that no reader accepts.
  return typeof value === 'string' ? value.toWellFormed() : value
}

/**
 * The SQL that inserts or updates rows of the owner in the slot `owner`. The rows are a JSON array of arrays of these
 * fields' values, as `encodedRows` makes them. Where a field with a natural value is null, or one that may be left out
 * is, the stored value stays; a new row gets the natural one, or null. A row with unchanged content is not written, so it keeps its updated_at
 * and is not returned. Changes are counted by returned rows or by SQL's own changes(), because what a database reports
 * includes rows written by triggers. A table with `updatedAt` takes its value from the organization's clock.
 * @param source the SQL after `from`, up to a condition or an order: each row is an array in `row.value`
 * @param areWhole whether each row that is stored already is given with all its values, so that none need be looked up
 */
export function upsertOf(
  table: Table,
  fields: readonly string[],
  source: Expression<unknown> = sql`json_each(${slot('rows')}) as row where true`,
  areWhole = false,
): Expression<unknown> {
  const given = fields.map((field) => columnOf(table, field))
  const content = given.filter((column) => !table.keyColumns.includes(column.name))
  const excluded = (column: string) => sql.id('excluded', column)
  const values = given.map((column, index) => valueOf(column, index, table, fields, areWhole))
  const when = (condition: boolean, text: Expression<unknown>) => (condition ? text : sql``)
  const versioned = table.columns.has('version')
  const timed = table.columns.has('updatedAt')
  return sql`
    insert into ${sql.id(table.name)} (${sql.id(table.ownerColumn)}, ${when(timed, sql`updated_at,`)}
      ${when(versioned, sql`version,`)} ${sql.join(given.map((column) => sql.id(column.name)))})
    select ${slot('owner')}, ${when(timed, sql`${clock},`)} ${when(versioned, sql`1,`)} ${sql.join(values)}
    from ${source}
    on conflict (${sql.id(table.ownerColumn)}, ${sql.join(table.keyColumns.map((column) => sql.id(column)))}) do update set
      ${when(timed, sql`updated_at = ${excluded('updated_at')},`)}
      ${when(versioned, sql`version = ${sql.id(table.name, 'version')} + 1,`)}
      ${sql.join(content.map((column) => sql`${sql.id(column.name)} = ${excluded(column.name)}`))}
    where (${sql.join(content.map((column) => sql.id(table.name, column.name)))})
      is not (${sql.join(content.map((column) => excluded(column.name)))})`
}

const clock = sql`(select clock_at from organizations where organization_id = ${slot('owner')})`

/** The SQL of a value of a given row, by its place among the fields. */
function at(index: number): Expression<unknown> {
  return sql`row.value ->> ${sql.raw(String(index))}`
}

/**
 * The SQL of the value to write: what is given, else what is stored under the same key, else the natural value. Of a
 * settled column, what is stored comes first.
 */
function valueOf(
  { name, storage, default: natural, mayBeLeftOut, isSettled }: Column,
  index: number,
  table: Table,
  fields: readonly string[],
  isWhole = false,
): Expression<unknown> {
  const given = at(index)
  if (natural === null && (isWhole || !mayBeLeftOut)) return given
  const otherwise = natural === 'now' ? clock : literal(natural?.value, storage)
  if (isWhole) return sql`coalesce(${given}, ${otherwise})`
  const sameKey = fields.flatMap((field, index) => {
    const column = columnOf(table, field).name
    return table.keyColumns.includes(column) ? [sql`${sql.id('kept', column)} = ${at(index)}`] : []
  })
  const kept = sql`(select ${sql.id('kept', name)} from ${sql.id(table.name)} as kept
    where ${sql.id('kept', table.ownerColumn)} = ${slot('owner')} and ${sql.join(sameKey, sql` and `)})`
  if (natural === null)
    return sql`iif(json_type(row.value, ${sql.lit(`$[${index}]`)}) = 'false', ${kept}, ${given})`
  return isSettled
    ? sql`coalesce(${kept}, ${given}, ${otherwise})`
    : sql`coalesce(${given}, ${kept}, ${otherwise})`
}

function literal(value: unknown, storage: Column['storage']): Expression<unknown> {
  const encoded = encode(value, storage)
  return sql.lit(typeof encoded === 'boolean' ? Number(encoded) : encoded)
}

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

/** The maximum number of versions that are kept of a form. */
const VERSIONS_MAX = 50

const organizationId = slot<string>('organizationId')
const formId = slot<string>('formId')

/** The forms in the slot `formIds`, one by one, each with its latest version. */
const formsWithLatest = sql`json_each(${slot('formIds')}) as e
  cross join forms as f on f.organization_id = ${organizationId} and f.form_id = e.value
  left join form_versions as v on v.organization_id = f.organization_id and v.form_id = f.form_id and v.number = (
    select max(number) from form_versions where organization_id = f.organization_id and form_id = f.form_id)`

const insertVersion = sql`insert into form_versions (organization_id, form_id, number, saved_at, saved_by, definition)
  select f.organization_id, f.form_id, ifnull(v.number, 0) + 1, f.updated_at`

/** A version without whether it is published, which is no part of it. */
const content = (definition: 'f' | 'v') =>
  sql`json_remove(${sql.ref(`${definition}.definition`)}, '$.isPublished')`

/** What was stored before there were versions becomes one before it is replaced. */
const keepStored = template(
  sql`${insertVersion}, null, f.definition from ${formsWithLatest} where v.number is null or ${content('f')} is not ${content('v')}`,
)

/** Those that this batch has written: their instant is that to which it has moved the clock. */
const addWritten = template(sql`${insertVersion}, ${slot('savedBy')}, f.definition from ${formsWithLatest}
  where f.updated_at = (select clock_at from organizations where organization_id = ${organizationId})`)

const dropOldest = template(sql`delete from form_versions
  where organization_id = ${organizationId} and form_id in (select value from json_each(${slot('formIds')}))
    and number <= (select max(of.number) from form_versions as of
      where of.organization_id = form_versions.organization_id and of.form_id = form_versions.form_id)
      - ${sql.lit(VERSIONS_MAX)}`)

/**
 * The statements around those that write forms in a batch, behind the one that moves the organization's clock.
 * @param savedBy who saves them; null: an import
 */
export function versionStatements(
  organizationId: string,
  formIds: readonly string[],
  savedBy: string | null,
): { readonly before: readonly Statement[]; readonly after: readonly Statement[] } {
  const values = { organizationId, formIds: JSON.stringify(formIds), savedBy }
  return {
    before: [bind(keepStored, values)],
    after: [bind(addWritten, values), bind(dropOldest, values)],
  }
}

const removeVersions = template(sql`delete from form_versions where organization_id = ${organizationId}
  and form_id in (select value ->> 0 from json_each(${slot('keys')}))`)

/**
 * Removes the versions of forms.
 * @param keys a JSON array of the keys of forms
 */
export function withoutVersions(organizationId: string, keys: string): Statement {
  return bind(removeVersions, { organizationId, keys })
}

const versionColumns = sql`number, saved_at as "savedAt", saved_by as "savedBy", definition ->> 'name' as name`
const ofForm = sql`organization_id = ${organizationId} and form_id = ${formId}`
const listVersions = template(
  sql<FormVersion>`select ${versionColumns} from form_versions where ${ofForm} order by number desc`,
)
const findVersion = template(sql<FormVersion & { readonly definition: JsonText<FormDefinition> }>`
  select ${versionColumns}, definition from form_versions where ${ofForm} and number = ${slot('number')}`)

/** Reads the versions of an organization's forms. */
function createFormVersions(
  executor: Executor,
  organizationId: string,
): Pick<TenantWriter, 'formVersions' | 'formVersion'> {
  return {
    formVersions: (formId) => rowsOf(executor, bind(listVersions, { organizationId, formId })),
    async formVersion(formId, number) {
      const [row] = await rowsOf(executor, bind(findVersion, { organizationId, formId, number }))
      return row === undefined ? null : { ...row, definition: parsed(row.definition) }
    },
  }
}
