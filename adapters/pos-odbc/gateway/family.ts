import type { CollectionName } from '../collections.ts'
import type { SourceKind } from '../protocol.ts'
import type { Codec } from './codec.ts'
import type { DialectName } from './dialect.ts'

/** How rows of a kind are recorded in a table: the codec of each published field that is not a list. */
export interface TableMapping {
  readonly table: string
  /** The column with a row's id, unique within a tenant. */
  readonly idColumn: string
  readonly fields: Readonly<Record<string, Codec>>
}

/** Rows that belong to a row of another table and are published as a list in it. */
export interface ChildMapping extends TableMapping {
  /** The column with the id of the row that they belong to. */
  readonly parentColumn: string
  readonly order:
    | { readonly kind: 'position'; readonly column: string }
    | { readonly kind: 'latest'; readonly columns: readonly string[]; readonly count: number }
  /** When set, the list contains the values of this field instead of rows. */
  readonly valueField: string | null
}

/** A collection and the lists that its rows carry. */
export interface CollectionMapping extends TableMapping {
  /** The fields that only filters use. Of their codecs only `equals` is used. */
  readonly compared: Readonly<Record<string, Codec>>
  readonly lists: Readonly<Record<string, ChildMapping>>
}

/** The tables of a kind of source. */
export interface Family {
  readonly kind: SourceKind
  /** The databases that there is a schema for. */
  readonly dialects: readonly [DialectName, ...DialectName[]]
  /** The column that tells the tenants of a shared database apart; null: every tenant has a database of its own. */
  readonly tenantColumn: string | null
  readonly collections: Readonly<Record<CollectionName, CollectionMapping>>
}
