import type { StoredRow } from '../records/query.ts'

/**
 * Writes one organization's rows to its point-of-sale source. Only imports and demonstrations do so, where the source
 * allows it.
 */
export interface PosWriter {
  /**
   * Inserts or updates rows by id, all or none: complete rows of `pos-transactions`, `pos-customers`,
   * `pos-recurring-accounts`, `pos-billing-events` and `pos-status-events`, with every field that the resource
   * declares. Writing the same rows again changes nothing. Returns how many rows were inserted or changed. Rejects for
   * any other collection.
   */
  upsert(collection: string, rows: readonly StoredRow[]): Promise<{ readonly changed: number }>
}
