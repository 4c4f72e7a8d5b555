/** What the storage cost so far. Whoever opens a storage gives it one, and reads it when the work is done. */
export interface Meter {
  /** Batches sent to the database, repeated ones included: each is a round trip where the database is remote. */
  calls: number
  /** Rows that the database read, as far as it counts them: what a hosted database bills. */
  rowsRead: number
  /** Rows of tables and entries of indexes that the database wrote, as far as it counts them. */
  rowsWritten: number
}
