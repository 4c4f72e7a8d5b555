import type { StorageType } from '../../domain/contract/field.ts'
import type { Resource } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { EVENTS_SHOWN_MAX, eventLists, posResources, writtenPosResources } from '../../domain/pos/index.ts'

/** One selectable field: its column, or the expression that makes its list, and how it is kept. */
export interface Column {
  readonly field: string
  /** SQL that yields it in a query of the table under the alias `t`. */
  readonly sql: string
  readonly storage: StorageType
  readonly nullable: boolean
}

/** A collection as the vendor's database keeps it. */
export interface Table {
  readonly name: string
  readonly idColumn: string
  readonly columns: ReadonlyMap<string, Column>
  /** Sets of fields that have an index each, those that leave the fewest rows first, the empty set last. */
  readonly narrowing: readonly (readonly string[])[]
}

const accountIndexes = [['customerId'], ['siteCode', 'status'], ['siteCode'], ['status'], []]

const indexes: Readonly<Record<string, Table['narrowing']>> = {
  'pos-transactions': [['customerId'], ['siteCode'], []],
  'pos-customers': [['phone'], ['emailKey'], ['homeSiteCode', 'active'], ['homeSiteCode'], ['active'], []],
  'pos-recurring-accounts': accountIndexes,
  'pos-recurring-account-details': accountIndexes,
}

/** Account details are accounts, with their events looked up row by row. */
const storedAs: Readonly<Record<string, string>> = {
  'pos-recurring-account-details': 'pos-recurring-accounts',
}

const tables = new Map(
  [...posResources, ...writtenPosResources].map((resource) => [resource.collection, describe(resource)]),
)

/** The table of a collection. Throws for one that a point of sale does not have. */
export function tableOf(collection: string): Table {
  const table = tables.get(collection)
  if (table === undefined) throw new Error(`The legacy vendor has no ${collection}`)
  return table
}

/** The column of a field. Throws for a field that is not kept: SQL is never built from foreign text. */
export function columnOf(table: Table, field: string): Column {
  const column = table.columns.get(field)
  if (column === undefined) throw new Error(`${table.name} has no field ${field}`)
  return column
}

/** `homeSiteCode` is kept in `home_site_code`. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function describe(resource: Resource): Table {
  const { collection, idField } = resource
  const columns = storedFields(resource).map(([field, { field: type }]): [string, Column] => {
    const list = eventLists.find(([name]) => name === field)
    const sql = list === undefined ? `t.${columnName(field)}` : latestEvents(list[1])
    return [field, { field, sql, storage: type.storage, nullable: type.nullable }]
  })
  return {
    name: tableName(storedAs[collection] ?? collection),
    idColumn: columnName(idField),
    columns: new Map(columns),
    narrowing: indexes[collection] ?? [],
  }
}

function tableName(collection: string): string {
  return collection.replaceAll('-', '_')
}

/** The newest events of the account `t` as a JSON array of objects; the index hands them over in order and stops. */
function latestEvents({ collection, fields }: Resource): string {
  const events = tableName(collection)
  const parts = Object.keys(fields).map((field) => `'${field}', e.${columnName(field)}`)
  return `(select json_group_array(json_object(${parts.join(', ')})) from (
    select * from ${events} indexed by ${events}_account_id_occurred_at
    where tenant_id = t.tenant_id and account_id = t.account_id
    order by occurred_at desc, event_id desc limit ${EVENTS_SHOWN_MAX}) as e)`
}
