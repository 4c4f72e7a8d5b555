import { EVENTS_SHOWN_MAX, eventLists, posResources, writtenPosResources } from '../../domain/pos/index.ts'
import { storedFields, type Resource } from '../../domain/record/resource.ts'
import type { Predicate } from '../../ports/records.ts'
import { columnName } from '../sqlite/statement/database.ts'
import {
  columnOf,
  tableName,
  type PageIndex,
  type TableSet,
  type Column,
  type Table,
} from '../sqlite/tables.ts'

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
