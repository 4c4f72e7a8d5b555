import type { Predicate } from '../../../ports/query.ts'
import type { PageIndex } from './indexes.ts'
import { indexOf } from './indexes.ts'
import type { Table } from './tables.ts'
import { tableOf } from './tables.ts'

/** What a database keeps: the table of each collection, and the index that serves a page of it. */
export interface TableSet {
  /** Throws for a collection that the database does not keep. */
  tableOf(collection: string): Table
  /** The index by which a page is read. Throws for a filter that neither an index nor a test of the row can serve. */
  indexOf(table: Table, where: readonly Predicate[], orderField: string): PageIndex
}

/** This service's own database: the tables of every resource, with the indexes that `migrations/` makes. */
export const serviceTables: TableSet = { tableOf, indexOf }
