import type { KeyBudget } from '../../../ports/organizations.ts'
import type { Statement } from '../../sql/statement.ts'
import type { Meter, Clock } from '../../../ports/platform.ts'
import { drawFromClock, repeatWhileRejected, type Backoff } from '../../../domain/limits/waiting.ts'

export type { BoundValue, Statement } from '../../sql/statement.ts'

/** The same statement, marked as one whose number of changed rows nobody needs. */
export function uncounted<Row>(statement: Statement<Row>): Statement<Row> {
  return { ...statement, isUncounted: true }
}

/** A row as SQLite returns it: an object with the column names as keys, truth values as 0 and 1, JSON as text. */
export type ResultRow = Record<string, unknown>

/** The result of one statement, and what it cost. */
export interface StatementResult<Row = ResultRow> {
  /** The rows that it selected or returned; empty for other statements. */
  readonly rows: Row[]
  /**
   * How many rows it inserted, updated or deleted, including those that its triggers wrote; 0 when it is not counted.
   */
  readonly changes: number
  /** How many rows were read; null when the database cannot count them. */
  readonly rowsRead: number | null
  /** How many rows of tables and entries of indexes were written; null where the database cannot count them. */
  readonly rowsWritten: number | null
}

/** Runs statements on one SQLite database, wherever that is. Nothing else in this folder touches a database. */
export interface Executor {
  /**
   * Runs the statements in order, in one transaction: all of them happen or none, and each of them sees one state of
   * the database and what the ones before it wrote. Rejects when one fails. A batch without statements does nothing.
   * @returns one result per statement, in order
   */
  batch(statements: readonly Statement[]): Promise<readonly StatementResult[]>
}

/** The results of a batch that proves a key, and what is left of the key's rate. */
export interface CountedResults {
  readonly results: readonly StatementResult[]
  /** Null: the request was not counted. */
  readonly budget: KeyBudget | null
}

/**
 * Runs statements as `Executor.batch` does, for a request with a key, and counts the request against the key's rate in
 * the same call. The first statement must return the row of the key, with the column `rate_per_minute`, when the key is
 * proven. Without that row, nothing is counted; without that column, the batch fails.
 */
export type CountedBatch = (statements: readonly Statement[], keyId: string) => Promise<CountedResults>

/** The result of each statement, with rows of the type that the statement declares. */
type ResultsOf<Statements extends readonly Statement[]> = {
  readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Row>
    ? StatementResult<Row>
    : never
}

/** Runs statements as `batch` does. Each result has rows of the type that its statement declares. */
export async function resultsOf<const Statements extends readonly Statement[]>(
  executor: Executor,
  statements: Statements,
): Promise<ResultsOf<Statements>> {
  return declared<Statements>(await executor.batch(statements))
}

/** Gives results the row types that their statements declare. */
export function declared<Statements extends readonly Statement[]>(
  results: readonly StatementResult[],
): ResultsOf<Statements> {
  // SQLite does not report the types of a statement's rows, so the declaration beside the SQL is the only source.
  return results as unknown as ResultsOf<Statements>
}

/** Statements of which one gives rows, in the order of their batch. */
export interface BatchAround<Row> {
  readonly before: readonly Statement[]
  readonly giving: Statement<Row>
  readonly after?: readonly Statement[]
}

/** Runs statements in one batch, and returns the rows of the one that gives some. */
export async function rowsAmong<Row>(
  executor: Executor,
  { before, giving, after = [] }: BatchAround<Row>,
): Promise<Row[]> {
  const results = await executor.batch([...before, giving, ...after])
  const [given] = declared<readonly [Statement<Row>]>(results.slice(before.length))
  return given.rows
}

/** Runs one statement and returns its rows. */
export async function rowsOf<Row = ResultRow>(executor: Executor, statement: Statement<Row>): Promise<Row[]> {
  const [{ rows }] = await resultsOf(executor, [statement])
  return rows
}

/** A meter at zero. */
export function createMeter(): Meter {
  return { calls: 0, rowsRead: 0, rowsWritten: 0 }
}

/** Adds what a batch cost. Rows that the database did not count add nothing. */
export function countRows(meter: Meter, results: readonly StatementResult[]): void {
  for (const { rowsRead, rowsWritten } of results) {
    meter.rowsRead += rowsRead ?? 0
    meter.rowsWritten += rowsWritten ?? 0
  }
}

/**
 * Matches SQL that only reads, unless it contains a word of `WRITING`. It does not match SQL that begins with `with`.
 */
const SELECT = /^\s*select\b/i
const WITH = /^\s*with\b/i

/** SQL without any of these words cannot write. */
const WRITING = /\b(?:insert|update|delete|replace)\b/i

/** Whether each of the statements certainly only reads. A statement in doubt counts as a write. */
export function readsAlone(statements: readonly Statement[]): boolean {
  return statements.every(({ sql }) => SELECT.test(sql) || (WITH.test(sql) && !WRITING.test(sql)))
}

/** The limits of hosted SQLite, in D1 and in Durable Objects, as the platform's manual has them. */

/** The maximum size of one value, in bytes. */
export const VALUE_MAX_BYTES = 2_000_000

/** How many parameters a statement may have. */
export const PARAMETERS_MAX = 100

/** How many arguments a function may have. */
export const ARGUMENTS_MAX = 32

/** What repeating a call of a database depends on. */
interface CallRepeating {
  /** Whether the next attempt may succeed after this rejection. */
  readonly isPassing: (rejection: unknown) => boolean
  readonly clock: Clock
}

/** Repeats a call of a database while it rejects with a temporary failure. Rejects as the last attempt does. */
export function repeatCall<Result>(
  backoff: Backoff,
  { isPassing, clock }: CallRepeating,
  call: () => Promise<Result>,
): Promise<Result> {
  return repeatWhileRejected(backoff, { isPassing, draw: () => drawFromClock(clock), wait }, call)
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
