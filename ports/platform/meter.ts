/**
 * Counts what a storage has cost so far. Whoever opens a storage provides the meter, and reads it when the work is
 * done.
 */
export interface Meter {
  /** Batches sent to the database, repetitions included. Each is a round trip when the database is remote. */
  calls: number
  /** Rows that the database read, if it counts them. Hosted databases bill these. */
  rowsRead: number
  /** Rows of tables and entries of indexes that the database wrote, if it counts them. */
  rowsWritten: number
}
