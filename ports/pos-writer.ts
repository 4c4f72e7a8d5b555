import type { StoredRow } from './query.ts'

/** Writes one organization's rows to its point-of-sale source, where this service may: imports and demonstrations. */
export interface PosWriter {
  /**
   * Inserts or updates rows by id: `pos-transactions`, `pos-customers`, `pos-recurring-accounts`, `pos-billing-events`
   * and `pos-status-events`, complete rows with every field that the resource declares. All of them or none. Writing
   * the same rows again changes nothing. Returns how many rows were inserted or changed. Rejects for another collection.
   */
  upsert(collection: string, rows: readonly StoredRow[]): Promise<{ readonly changed: number }>
}
