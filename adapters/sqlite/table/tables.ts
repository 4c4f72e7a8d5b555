import type { StorageType } from '../../../domain/record/field.ts'
import type { Default, Join } from '../../../domain/record/resource-field.ts'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import { resourceOf } from '../../../domain/resources/index.ts'
import { columnName } from '../database/column-name.ts'

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
