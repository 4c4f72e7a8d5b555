/** How a storage on `node:sqlite` differs from one on a hosted database. */
export interface NodeSqliteCapabilities {
  /**
   * Whether results and meters say how many rows a statement read and wrote. `node:sqlite` cannot count them: a result
   * says null, and a meter counts calls alone.
   */
  readonly countsRows: boolean
  /**
   * Whether a batch leaves the thread free while it runs. `node:sqlite` is synchronous: a batch blocks the process for
   * as long as it takes, which includes waiting for another process that writes to the same file.
   */
  readonly runsInBackground: boolean
  /** The largest whole number that can be read; a statement that yields a larger one fails. */
  readonly integerMax: number
}

export const nodeSqliteCapabilities: NodeSqliteCapabilities = {
  countsRows: false,
  runsInBackground: false,
  integerMax: Number.MAX_SAFE_INTEGER,
}
