import type { CollectionName } from '../../collections.ts'
import type { SourceKind } from '../../protocol.ts'
import type { ColumnName, ColumnOf, TableName } from '../tables/database.ts'
import type { Codec } from '../values/codec.ts'

/** The kinds of databases whose SQL the gateway writes. */
export type DialectName = 'postgresql' | 'sqlite'

interface OfTable<Table extends TableName> {
  readonly table: Table
  /** The column with a row's id, unique within a tenant. */
  readonly idColumn: ColumnName<Table>
  readonly fields: Readonly<Record<string, Codec<ColumnOf<Table>>>>
}

interface OfChildTable<Table extends TableName> extends OfTable<Table> {
  /** The column with the id of the row that they belong to. */
  readonly parentColumn: ColumnName<Table>
  readonly order:
    | { readonly kind: 'position'; readonly column: ColumnName<Table> }
    | { readonly kind: 'latest'; readonly columns: readonly ColumnName<Table>[]; readonly count: number }
  /** When set, the list contains the values of this field instead of rows. */
  readonly valueField: string | null
}

interface OfCollectionTable<Table extends TableName, Kind extends SourceKind> extends OfTable<Table> {
  /** The fields that only filters use. Of their codecs only the key is used. */
  readonly compared: Readonly<Record<string, Codec<ColumnOf<Table>>>>
  readonly lists: Readonly<Record<string, ChildMapping<Kind>>>
}

/** How rows of a kind are recorded in a table: the codec of each published field that is not a list. */
export type TableMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfTable<Table>
}[TableName<Kind>]

/** Rows that belong to a row of another table and are published as a list in it. */
export type ChildMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfChildTable<Table>
}[TableName<Kind>]

/** A collection and the lists that its rows carry. */
export type CollectionMapping<Kind extends SourceKind = SourceKind> = {
  [Table in TableName<Kind>]: OfCollectionTable<Table, Kind>
}[TableName<Kind>]

/** The tables of a kind of source. */
export type Family<Kind extends SourceKind = SourceKind> = { [Each in Kind]: FamilyOf<Each> }[Kind]

interface FamilyOf<Kind extends SourceKind> {
  readonly kind: Kind
  /** The databases that there is a schema for. */
  readonly dialects: readonly [DialectName, ...DialectName[]]
  /** The column that tells the tenants of a shared database apart; null: every tenant has a database of its own. */
  readonly tenantColumn: ColumnName<TableName<Kind>> | null
  readonly collections: Readonly<Record<CollectionName, CollectionMapping<Kind>>>
}

/** The lists that the rows of a collection carry, each with the field in which it is published. */
export function listsOf({ lists }: CollectionMapping): readonly (readonly [string, ChildMapping])[] {
  const every: Readonly<Record<string, ChildMapping>> = lists
  return Object.entries(every)
}
