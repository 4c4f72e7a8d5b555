import type { Predicate } from '../../../ports/records.ts'
import { indexOf, type PageIndex } from './indexes.ts'
import { tableOf, type Table } from './tables.ts'

/** The tables of a database: the table of each collection, and the index that serves a page of it. */
export interface TableSet {
  /** The table of a collection. Throws for a collection that the database does not have. */
  tableOf(collection: string): Table
  /** The index by which a page is read. Throws for a filter that neither an index nor a test of the row can serve. */
  indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex
}

/** The tables of this service's own database, for every resource, with the indexes that `migrations/` creates. */
export const serviceTables: TableSet = { tableOf, indexOf }
