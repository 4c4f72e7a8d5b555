import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { StorageType } from '../../domain/contract/field.ts'
import type { Join } from '../../domain/contract/resource.ts'
import { storedFields } from '../../domain/contract/resource.ts'
import { resourceOf } from '../../domain/resources/index.ts'

/** One stored field as a column. */
export interface Column {
  readonly field: string
  readonly name: string
  readonly storage: StorageType
  readonly nullable: boolean
  /** Set by the store itself, never from a given row. */
  readonly assigned: boolean
}

/** The table of a stored collection. */
export interface Table {
  readonly name: string
  readonly idColumn: string
  /** The columns that make up the primary key behind the organization. */
  readonly keyColumns: readonly string[]
  /** Whether triggers keep it from another table, so that nothing else may write it. */
  readonly isKept: boolean
  readonly columns: ReadonlyMap<string, Column>
  /** Fields that are read from another table. */
  readonly joins: ReadonlyMap<string, Join & { readonly storage: StorageType }>
}

const tables = new Map<string, Table>()

/** The table of a collection. Throws when no resource declares the collection. */
export function tableOf(collection: string): Table {
  const known = tables.get(collection)
  if (known !== undefined) return known
  const table = describe(collection)
  tables.set(collection, table)
  return table
}

function describe(collection: string): Table {
  const resource = resourceOf(collection)
  const columns = storedFields(resource).map(([field, { origin, field: type }]): [string, Column] => [
    field,
    {
      field,
      name: columnName(field),
      storage: type.storage,
      nullable: type.nullable,
      assigned: origin === 'assigned',
    },
  ])
  const joins = Object.entries(resource.fields).flatMap(([field, entry]) =>
    entry.origin === 'joined' ? [[field, { ...entry.join, storage: entry.field.storage }] as const] : [],
  )
  return {
    name: tableName(collection),
    idColumn: columnName(resource.idField),
    keyColumns: resource.key.map(columnName),
    isKept: resource.keptFrom !== null,
    columns: new Map(columns),
    joins: new Map(joins),
  }
}

/** The stored column of a field. Throws for a field that is not stored: SQL is never built from foreign text. */
export function columnOf(table: Table, field: string): Column {
  const column = table.columns.get(field)
  if (column === undefined) throw new Error(`${table.name} stores no field ${field}`)
  return column
}

/**
 * The side table of a list field, in which each of its values is a row with the id and the times that order pages:
 * `siteIds` of `products` has `products_site_ids`. Triggers of the migration that makes it keep it.
 */
export function sideTableName(table: Table, field: string): string {
  return `${table.name}_${columnOf(table, field).name}`
}

/** `form-submissions` is stored in `form_submissions`. */
export function tableName(collection: string): string {
  return collection.replaceAll('-', '_')
}

/** `googlePlaceId` is stored in `google_place_id`. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A quoted identifier. */
export function name(...path: readonly string[]): RawBuilder<unknown> {
  return sql.id(...path)
}
