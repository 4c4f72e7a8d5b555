import type { StorageType } from '../../domain/record/field.ts'
import type { Default, Join } from '../../domain/record/resource-field.ts'
import { storedFields, type Resource } from '../../domain/record/resource.ts'
import { resourceOf } from '../../domain/resources/index.ts'
import { columnName, type ColumnName, type StoredRow as RowOf } from './statement/database.ts'
import type { Predicate, StoredRow } from '../../ports/records.ts'
import type { ResultRow, BoundValue } from './statement/executor.ts'
import {
  storedFieldShape,
  keyFields,
  organizationFields,
  type StoredFields,
} from '../../domain/record/account-fields.ts'
import { keysOf } from '../../domain/text/encoding.ts'
import type { StoredKey, Organization } from '../../ports/organizations.ts'

/** One stored field as a column. */
export interface Column {
  readonly field: string
  readonly name: string
  readonly storage: StorageType
  readonly nullable: boolean
  /** Whether the store itself sets the column, so that a given value is ignored. */
  readonly assigned: boolean
  /** What a row has of which null is given: a stored row keeps its value, a new one gets this. Null: it must be given. */
  readonly default: Default | null
  /** Whether a stored row keeps its value when it is written without one. A null clears it. */
  readonly mayBeLeftOut: boolean
  /** Whether a stored row keeps its value whatever it is written with. Such a column has a default. */
  readonly isSettled: boolean
  /** The SQL for the field in a query of the table with the alias `t`; null: the column itself. */
  readonly expression: string | null
}

/** A field that is read from a row of another table. One of the table's own columns holds the id of that row. */
export interface JoinedColumn extends Join {
  readonly storage: StorageType
  readonly table: string
  readonly idColumn: string
}

/** The table of a stored collection. */
export interface Table {
  readonly name: string
  /** The column for the owner of a row. Every index begins with it, and every statement reads the rows of one owner. */
  readonly ownerColumn: string
  readonly idColumn: string
  /** The columns that, together with the owner's, make up the primary key. */
  readonly keyColumns: readonly string[]
  /** Whether triggers fill the table from another one, so that nothing else may write it. */
  readonly isKept: boolean
  /** Whether an id is unique across all organizations. */
  readonly serviceWideIds: boolean
  /** Whether triggers copy its rows to the parent organization, whose clock must then move with each write. */
  readonly seenByParent: boolean
  /** Fields that select few rows, each with the order in which an index provides them. */
  readonly selectsFew: Resource['selectsFew']
  /** Fields that select many rows, each with the orders in which an index provides them. */
  readonly selectsMany: Resource['selectsMany']
  readonly columns: ReadonlyMap<string, Column>
  readonly joins: ReadonlyMap<string, JoinedColumn>
}

const tables = new Map<string, Table>()

/** The table of a collection of this service's own database. Throws when no resource declares the collection. */
export function tableOf(collection: string): Table {
  const known = tables.get(collection)
  if (known !== undefined) return known
  const table = describe(collection)
  tables.set(collection, table)
  return table
}

function describe(collection: string): Table {
  const resource = resourceOf(collection)
  const columns = storedFields(resource).map(
    ([field, { origin, field: type, ...entry }]): [string, Column] => [
      field,
      {
        field,
        name: columnName(field),
        storage: type.storage,
        nullable: type.nullable,
        assigned: origin === 'assigned',
        default: 'default' in entry ? (entry.default ?? null) : null,
        mayBeLeftOut: 'mayBeLeftOut' in entry,
        isSettled: 'isSettled' in entry,
        expression: null,
      },
    ],
  )
  const joins = Object.entries(resource.fields).flatMap(([field, entry]): [string, JoinedColumn][] =>
    entry.origin === 'joined'
      ? [[field, { ...entry.join, storage: entry.field.storage, ...target(entry.join) }]]
      : [],
  )
  return {
    name: tableName(collection),
    ownerColumn: 'organization_id',
    idColumn: columnName(resource.idField),
    keyColumns: resource.key.map(columnName),
    isKept: resource.keptFrom !== null,
    serviceWideIds: resource.serviceWideIds,
    seenByParent: resource.seenByParent,
    selectsFew: resource.selectsFew,
    selectsMany: resource.selectsMany,
    columns: new Map(columns),
    joins: new Map(joins),
  }
}

function target({ collection }: Join): Pick<JoinedColumn, 'table' | 'idColumn'> {
  return { table: tableName(collection), idColumn: columnName(resourceOf(collection).idField) }
}

/**
 * The stored column of a field. Throws for a field that is not stored, so that SQL is never built from text of a
 * caller.
 */
export function columnOf(table: Table, field: string): Column {
  const column = table.columns.get(field)
  if (column === undefined) throw new Error(`${table.name} stores no field ${field}`)
  return column
}

/** `form-submissions` is stored in `form_submissions`. */
export function tableName(collection: string): string {
  return collection.replaceAll('-', '_')
}

/** The index by which a page is read. */
export interface PageIndex {
  readonly name: string
  /** The stored fields that it compares with a value. They come before the ordering field. */
  readonly narrowing: readonly string[]
  /** The field that orders the index. Where the page has another order, its rows are sorted. */
  readonly orderField: string
}

/**
 * The index that serves a page: that of a filter which selects few rows; else that of one which selects many, if it has
 * the page's order; else that of the order. Every other filter is tested row by row. The name consists of the table, the
 * columns that narrow the page, and the column that orders it (see the migrations).
 */
export function indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex {
  const equal = where
    .filter(({ operator, field }) => operator === 'equals' && field !== orderField)
    .map(({ field }) => field)
  const few = equal.find((field) => table.selectsFew[field] !== undefined)
  if (few !== undefined) return named(table, [few], table.selectsFew[few] ?? orderField)
  const many = equal.find((field) => table.selectsMany[field]?.includes(orderField) === true)
  return named(table, many === undefined ? [] : [many], orderField)
}

function named(table: Table, narrowing: readonly string[], orderField: string): PageIndex {
  const columns = [...narrowing, orderField].map((field) => columnOf(table, field).name)
  return { name: [table.name, ...columns].join('_'), narrowing, orderField }
}

/** The tables of a database: the table of each collection, and the index that serves a page of it. */
export interface TableSet {
  /** The table of a collection. Throws for a collection that the database does not have. */
  tableOf(collection: string): Table
  /** The index by which a page is read. Throws for a filter that neither an index nor a test of the row can serve. */
  indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex
}

/** The tables of this service's own database, for every resource, with the indexes that `migrations/` creates. */
export const serviceTables: TableSet = { tableOf, indexOf }

/** Turns rows as SQLite returns them into stored rows, in place: 0 and 1 become booleans, and JSON is parsed. */
export function decodeRows(table: Table, select: readonly string[], rows: ResultRow[]): readonly StoredRow[] {
  const storageOf = (field: string) => table.columns.get(field)?.storage ?? table.joins.get(field)?.storage
  const booleans = select.filter((field) => storageOf(field) === 'boolean')
  const documents = select.filter((field) => storageOf(field) === 'json')
  for (const row of rows) {
    for (const field of booleans) if (row[field] !== null) row[field] = row[field] === 1
    for (const field of documents) {
      const text = row[field]
      if (typeof text === 'string') row[field] = JSON.parse(text)
    }
  }
  return rows
}

/** Reads and writes the rows of a type. */
interface RowCodec<Of> {
  /** The columns, in the order of the fields. */
  readonly columns: readonly (keyof RowOf<Of> & string)[]
  readonly toRow: (value: Of) => RowOf<Of>
  /** Reads the columns of the fields; a row may have others. */
  readonly fromRow: (row: RowOf<Of>) => Of
}

/** Makes the codec of a type from its stored fields. */
function rowCodec<Of extends object>(fields: StoredFields<Of>): RowCodec<Of> {
  const mapped = keysOf(fields).map((field) => {
    const { storage } = storedFieldShape(fields[field])
    return { field, column: columnName(field), storage }
  })
  return {
    columns: mapped.map(({ column }) => column as keyof RowOf<Of> & string),
    toRow(value) {
      const row: Record<string, BoundValue> = {}
      for (const { field, column, storage } of mapped) row[column] = encoded(value[field], storage)
      // The types of the columns follow from those of the fields by the same rules that `encoded` follows.
      return row as RowOf<Of>
    },
    fromRow(row) {
      const stored: Readonly<Record<string, unknown>> = row
      const value: Record<string, unknown> = {}
      for (const { field, column, storage } of mapped) value[field] = decoded(stored[column], storage)
      return value as Of
    },
  }
}

type Storage = ReturnType<typeof storedFieldShape>['storage']

function encoded(value: unknown, storage: Storage): BoundValue {
  if (value === null) return null
  if (storage === 'boolean') return Number(value)
  return storage === 'json' ? JSON.stringify(value) : (value as BoundValue)
}

function decoded(stored: unknown, storage: Storage): unknown {
  if (stored === null) return null
  if (storage === 'boolean') return stored === 1
  return storage === 'json' ? JSON.parse(stored as string) : stored
}

/** Row of the table `api_keys`. */
export type KeyRow = RowOf<StoredKey>

/** Row of the table `organizations`, without its clock. */
export type OrganizationRow = RowOf<Organization>

export const { columns: keyColumns, fromRow: keyFromRow, toRow: keyToRow } = rowCodec<StoredKey>(keyFields)

const organizations = rowCodec<Organization>(organizationFields)
export const { fromRow: organizationFromRow, toRow: organizationToRow } = organizations

/** The columns of `organizations` that hold an organization's settings. */
export const settingColumns = organizations.columns.filter((column) => column !== 'organization_id')

/** For each field, its column under the field's name. */
type Aliases<Field extends string> = readonly { [Name in Field]: `${ColumnName<Name>} as ${Name}` }[Field][]

/** The columns of fields under the names of the fields, for a select of the builder: `key_id as keyId`. */
export function aliasesFor<const Field extends string>(fields: readonly Field[]): Aliases<Field> {
  return fields.map((field) => `${columnName(field)} as ${field}` as const)
}

/** The columns of a type under the names of its fields. */
export function aliasesOf<Row>(fields: StoredFields<Row>): Aliases<keyof Row & string> {
  return aliasesFor(keysOf(fields))
}
