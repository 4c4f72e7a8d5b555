import type { KeyBudget } from '../../../ports/key-budget.ts'

/** What a parameter may be: SQLite's own values without blobs. A truth value is written as 0 or 1. */
export type BoundValue = string | number | null

/** One compiled statement with its parameters in order. */
export interface Statement<Row = unknown> {
  readonly sql: string
  readonly parameters: readonly BoundValue[]
  /** Nobody asks how many rows it changes, so a database to which counting them costs something leaves it at 0. */
  readonly isUncounted?: true
  /** Never set: it carries the type of the rows that the SQL was declared to give. */
  readonly rowType?: Row
}

/** The same statement, of which nobody asks how many rows it changes. */
export function uncounted<Row>(statement: Statement<Row>): Statement<Row> {
  return { ...statement, isUncounted: true }
}

/** A row as SQLite returns it: by column name, truth values as 0 and 1, JSON as text. */
export type ResultRow = Record<string, unknown>

/** What one statement answered, and what it cost. */
export interface StatementResult<Row = ResultRow> {
  /** What it selected or returned; empty for a statement that does neither. */
  readonly rows: Row[]
  /** How many rows it inserted, updated or deleted, the writes of the triggers that it fired included, if it is counted. */
  readonly changes: number
  /** How many rows were looked at; null where the database cannot count them. */
  readonly rowsRead: number | null
  /** How many rows of tables and entries of indexes were written; null where the database cannot count them. */
  readonly rowsWritten: number | null
}

/** Runs statements on one SQLite database, wherever that is. Nothing else in this folder touches a database. */
export interface Executor {
  /**
   * Runs the statements in order, in one transaction: all of them happen or none, and each of them sees one state of the
   * database and what the ones before it wrote. Rejects when one fails. A batch without statements does nothing.
   * @returns one result per statement, in order
   */
  batch(statements: readonly Statement[]): Promise<readonly StatementResult[]>
}

/** What a batch answers that proves a key, and where the key stands. */
export interface CountedResults {
  readonly results: readonly StatementResult[]
  /** Null: the request was not counted. */
  readonly budget: KeyBudget | null
}

/**
 * Runs statements as `Executor.batch` does, for a request with a key, and counts the request against the key's rate in the
 * same call. The first statement gives the row of the key, `rate_per_minute` among its columns, when it is proven; else
 * nothing is counted.
 */
export type CountedBatch = (statements: readonly Statement[], keyId: string) => Promise<CountedResults>

/** The result of each statement, with rows of the type that the statement declares. */
type ResultsOf<Statements extends readonly Statement[]> = {
  readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Row>
    ? StatementResult<Row>
    : never
}

/** Runs statements as `batch` does, and gives each result the rows that its statement declares. */
export async function resultsOf<const Statements extends readonly Statement[]>(
  executor: Executor,
  statements: Statements,
): Promise<ResultsOf<Statements>> {
  return declared<Statements>(await executor.batch(statements))
}

/** Results with the rows that the statements declare. */
export function declared<Statements extends readonly Statement[]>(
  results: readonly StatementResult[],
): ResultsOf<Statements> {
  // SQLite does not say what types a statement yields: the declaration beside its SQL is all that there is to go by.
  return results as unknown as ResultsOf<Statements>
}

/** Runs one statement and returns its rows. */
export async function rowsOf<Row = ResultRow>(executor: Executor, statement: Statement<Row>): Promise<Row[]> {
  const [{ rows }] = await resultsOf(executor, [statement])
  return rows
}
