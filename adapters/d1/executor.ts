import type { D1Database, D1Result } from '@cloudflare/workers-types'
import { doublingPauses, type Backoff } from '../../domain/limits/waiting.ts'
import type { Clock, Meter } from '../../ports/platform.ts'
import {
  countRows,
  createMeter,
  type Executor,
  type ResultRow,
  type Statement,
  type StatementResult,
  repeatCall,
} from '../sqlite/statement/executor.ts'
import { CompiledQuery } from 'kysely'
import { D1Dialect } from 'kysely-d1'

/**
 * The attempts of one batch. Together with their pauses they take about twelve seconds; a concurrent import releases
 * the lock within that time.
 */
const BACKOFF: Backoff = { pausesMs: doublingPauses(8, 29, 500), spread: { least: 0.5, most: 1.5 } }

const LOCK_FAILURE = /SQLITE_BUSY|database is locked|Failed to get session commit token/i

/**
 * Whether a failure says that another connection held the lock, so that nothing was committed: SQLite says so itself,
 * or the local simulator failed to store the bookmark that it writes within the transaction of every query, reads
 * included.
 */
export function isLockFailure(error: unknown): boolean {
  return LOCK_FAILURE.test(String(error))
}

export interface ExecutorOptions {
  readonly database: D1Database
  readonly clock: Clock
  /** Counts what the database bills. Optional. */
  readonly meter?: Meter
}

/** Runs statements on one D1 database. Batches that failed on a lock are tried again, a bounded number of times. */
export function createExecutor({ database, clock, meter = createMeter() }: ExecutorOptions): Executor {
  const repeating = { isPassing: isLockFailure, clock }
  return {
    async batch(statements) {
      // D1 refuses a batch without statements.
      if (statements.length === 0) return []
      return repeatCall(BACKOFF, repeating, () => attempt(database, statements, meter))
    },
  }
}

async function attempt(
  database: D1Database,
  statements: readonly Statement[],
  meter: Meter,
): Promise<readonly StatementResult[]> {
  meter.calls += 1
  const [first] = statements
  const answers =
    statements.length === 1 && first !== undefined
      ? [await runOne(database, first)]
      : await runTogether(database, statements)
  const results = answers.map(({ results: rows, meta }): StatementResult => ({
    rows,
    changes: meta.changes,
    rowsRead: meta.rows_read,
    rowsWritten: meta.rows_written,
  }))
  countRows(meter, results)
  return results
}

/** Runs several statements in one transaction, which Kysely's dialect for D1 cannot do. */
async function runTogether(
  database: D1Database,
  statements: readonly Statement[],
): Promise<readonly D1Result<ResultRow>[]> {
  const prepared = statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
  const answers = await database.batch<ResultRow>(prepared)
  // The statements are used again after the batch on purpose: the local proxy of D1 loses a statement that is
  // garbage-collected before it has run.
  if (answers.length !== prepared.length) throw new Error('D1 answered another number of statements')
  return answers
}

/** Runs one statement on D1, in a transaction of its own, by Kysely's dialect for D1. */
async function runOne(database: D1Database, { sql, parameters }: Statement): Promise<D1Result<ResultRow>> {
  let answer: D1Result<ResultRow> | undefined
  const noting = notingAnswers(database, (given) => {
    answer = given
  })
  const connection = await new D1Dialect({ database: noting }).createDriver().acquireConnection()
  await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]))
  if (answer === undefined) throw new Error('D1 gave no answer')
  return answer
}

/** A database that hands each answer on: the dialect keeps the rows, and drops what the statement cost. */
function notingAnswers(database: D1Database, note: (answer: D1Result<ResultRow>) => void): D1Database {
  const prepare = (sql: string) => ({
    bind: (...parameters: readonly unknown[]) => ({
      async all() {
        const answer = await database
          .prepare(sql)
          .bind(...parameters)
          .all<ResultRow>()
        note(answer)
        return answer
      },
    }),
  })
  // The dialect calls no other method of D1.
  return { prepare } as unknown as D1Database
}
