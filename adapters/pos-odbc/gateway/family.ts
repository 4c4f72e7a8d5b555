import type { CollectionName, SourceKind } from '../protocol.ts'
import type { Codec } from './codec.ts'

/** How rows of a kind are recorded in a table: the codec of each field of the neutral form. */
export interface TableMapping {
  readonly table: string
  /** The column that names a row, unique within a tenant. */
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
  /** Set: the list holds this field's values instead of rows. */
  readonly valueField: string | null
}

/** A collection and the lists that its rows carry. */
export interface CollectionMapping extends TableMapping {
  readonly orderColumn: string
  readonly lists: Readonly<Record<string, ChildMapping>>
}

/** The tables of a kind of source. */
export interface Family {
  readonly kind: SourceKind
  /** The column that tells the tenants of a shared database apart; null: every tenant has a database of its own. */
  readonly tenantColumn: string | null
  readonly collections: Readonly<Record<CollectionName, CollectionMapping>>
}

/** "Only the latest 24 billing events and the latest 24 status events, newest first" (the contract, "POS rules"). */
export const LATEST_EVENTS = 24
