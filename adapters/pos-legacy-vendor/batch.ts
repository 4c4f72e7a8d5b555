/** One statement with its parameters in order. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly (string | number | null)[]
}

/** What a statement answered: rows by column name. */
export interface StatementResult {
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Runs statements on the vendor's database in one transaction and one round trip: all of them happen or none. It
 * answers one result per statement, in order, or rejects. The D1 adapter's executor is one.
 */
export interface Batch {
  batch(statements: readonly Statement[]): Promise<readonly StatementResult[]>
}
