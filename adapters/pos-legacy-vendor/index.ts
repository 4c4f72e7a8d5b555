import {
  EVENTS_SHOWN_MAX,
  eventLists,
  posResources,
  writtenPosResources,
  posSourceKinds,
} from '../../domain/pos/index.ts'
import { storedFields, type Resource } from '../../domain/record/resource.ts'
import type { Predicate, PageQuery, StoredRow, SourceFailure } from '../../ports/records.ts'
import { columnName } from '../sqlite/statement/database.ts'
import {
  columnOf,
  tableName,
  type PageIndex,
  type TableSet,
  type Column,
  type Table,
  decodeRows,
} from '../sqlite/tables.ts'
import { TimedOut, within } from '../../domain/limits/waiting.ts'
import { cutPage, storedRowsOf } from '../../domain/read/page.ts'
import type { Deadline } from '../../ports/platform.ts'
import type { PosSource, PosWriter } from '../../ports/sources.ts'
import type { Executor } from '../sqlite/index.ts'
import { readBoundedPage, pageStatements, rowsStatements, type PageResult } from '../sqlite/read/pages.ts'
import { rowsOf } from '../sqlite/statement/executor.ts'
import { upsertRows } from '../sqlite/write/tenant-writer.ts'

export type { Executor } from '../sqlite/index.ts'

/**
 * How long to wait for the vendor's database: longer than any page takes, and shorter than a caller of the API waits.
 */
const ANSWER_TIMEOUT_MS = 10_000

interface LegacyVendorOptions {
  /** Runs statements on the vendor's database, which has every migration of `adapters/pos-legacy-vendor/migrations`. */
  readonly database: Executor
  readonly deadline: Deadline
}

/**
 * Opens one tenant of the legacy vendor, whose tenants share one database. No I/O. Every statement selects rows of this
 * tenant only. A row, its events included, is one statement in one round trip. So is a page, unless it is so large that
 * it ends early.
 */
export function openLegacyVendor({ database, deadline }: LegacyVendorOptions, tenant: string): PosSource {
  /** A mistake of this program is answered as a failure of the database too; the log tells them apart by the cause. */
  const watched = async <Answer>(work: () => Promise<Answer>): Promise<Answer | SourceFailure> => {
    try {
      return await within(deadline, ANSWER_TIMEOUT_MS, work())
    } catch (cause) {
      const reason = cause instanceof TimedOut ? 'did not answer in time' : 'failed'
      return { kind: 'unavailable', reason: `the legacy vendor database ${reason}`, cause }
    }
  }
  return {
    capabilities: posSourceKinds.legacy_vendor.capabilities,
    page: (query) =>
      watched(async () => {
        const { looksAtMax: _, ...asked } = query
        const statements = pageStatementsOf(tenant, { ...asked, limit: query.limit + 1 })
        const found = await readBoundedPage(database, statements)
        return { kind: 'page', ...cutPage(decodedPage(query, found), query, found.stoppedAt) }
      }),
    one: (query) =>
      watched(async () => {
        const rows = await rowsOf(database, statementOf(tenant, query))
        const [row = null] = decodeRows(vendorTableOf(query.collection), query.select, rows)
        return { kind: 'row', row }
      }),
  }
}

function decodedPage({ collection, select }: PageQuery, found: PageResult): readonly StoredRow[] {
  return found.kind === 'lines'
    ? storedRowsOf(found)
    : decodeRows(vendorTableOf(collection), select, found.rows)
}

/** Opens a tenant of the vendor for writing. An upsert is one batch, whatever its size: callers bound it. */
export function openLegacyVendorWriter(database: Executor, tenant: string): PosWriter {
  return {
    async upsert(collection, rows) {
      if (!writtenPosResources.some((resource) => resource.collection === collection))
        throw new Error(`${collection} cannot be written to the legacy vendor`)
      if (rows.length === 0) return { changed: 0 }
      const results = await database.batch(upsertRows(vendorTableOf(collection), tenant, rows))
      return { changed: results.reduce((sum, { rows: changed }) => sum + changed.length, 0) }
    },
  }
}

const accountIndexes = [['customerId'], ['siteCode', 'status'], ['siteCode'], ['status'], []]

/**
 * Sets of fields that each have an index, by table and by the field that orders the index. The sets that leave the
 * fewest rows come first, the empty set last.
 */
const indexes: Readonly<Record<string, readonly (readonly string[])[]>> = {
  pos_transactions: [['customerId'], ['siteCode'], []],
  pos_customers: [['phone'], ['emailKey'], ['homeSiteCode', 'active'], ['homeSiteCode'], ['active'], []],
  pos_recurring_accounts: accountIndexes,
}

/** Account details are rows of the accounts' table, with the events of each row looked up. */
const storedAs: Readonly<Record<string, string>> = {
  'pos-recurring-account-details': 'pos-recurring-accounts',
}

const tables = new Map(
  [...posResources, ...writtenPosResources].map((resource) => [resource.collection, describe(resource)]),
)

/** The vendor's database, which its tenants share. */
export const vendorTables: TableSet = { tableOf: vendorTableOf, indexOf }

/** The table of a collection. Throws for one that a point of sale does not have. */
export function vendorTableOf(collection: string): Table {
  const table = tables.get(collection)
  if (table === undefined) throw new Error(`The legacy vendor has no ${collection}`)
  return table
}

/** The index that leaves the fewest rows to test one by one, in the page's order. */
function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const list = where.find(({ operator }) => operator === 'contains')
  if (list !== undefined) throw new Error(`The legacy vendor does not search the list ${list.field}`)
  const equal = where.filter(({ operator }) => operator === 'equals').map(({ field }) => field)
  const narrowing =
    (indexes[table.name] ?? []).find((fields) => fields.every((field) => equal.includes(field))) ?? []
  const columns = [...narrowing, orderField].map((field) => columnOf(table, field).name)
  return { name: [table.name, ...columns].join('_'), narrowing, orderField }
}

function describe(resource: Resource): Table {
  const { collection, idField } = resource
  const columns = storedFields(resource).map(([field, { field: type }]): [string, Column] => {
    const list = eventLists.find(([name]) => name === field)
    return [
      field,
      {
        field,
        name: columnName(field),
        storage: type.storage,
        nullable: type.nullable,
        assigned: false,
        default: null,
        mayBeLeftOut: false,
        isSettled: false,
        expression: list === undefined ? null : latestEvents(list[1]),
      },
    ]
  })
  return {
    name: tableName(storedAs[collection] ?? collection),
    ownerColumn: 'tenant_id',
    idColumn: columnName(idField),
    keyColumns: [columnName(idField)],
    isKept: false,
    serviceWideIds: false,
    seenByParent: false,
    selectsFew: {},
    selectsMany: {},
    columns: new Map(columns),
    joins: new Map(),
  }
}

/**
 * The newest events of the account `t` as a JSON array of objects; the index gives them in order, so reading stops
 * early.
 */
function latestEvents({ collection, fields }: Resource): string {
  const events = tableName(collection)
  const parts = Object.keys(fields).map((field) => `'${field}', e.${columnName(field)}`)
  return `(select json_group_array(json_object(${parts.join(', ')})) from (
    select * from ${events} indexed by ${events}_account_id_occurred_at
    where tenant_id = t.tenant_id and account_id = t.account_id
    order by occurred_at desc, event_id desc limit ${EVENTS_SHOWN_MAX}) as e)`
}

const statementOf = rowsStatements(vendorTables)
const pageStatementsOf = pageStatements(vendorTables)
