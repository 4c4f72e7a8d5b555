import type { D1Database } from '@cloudflare/workers-types'
import type { Clock } from '../../ports/clock.ts'
import type { Meter } from '../../ports/meter.ts'
import type { Executor, ResultRow, Statement, StatementResult } from '../sqlite/statement/executor.ts'
import { countRows, createMeter } from '../sqlite/statement/meter.ts'

/**
 * Most attempts of one batch. They last about twelve seconds; an import that runs at the same time releases the lock
 * within that time.
 */
const ATTEMPTS_MAX = 30
const FIRST_PAUSE_MS = 8
const LONGEST_PAUSE_MS = 500

const LOCK_FAILURE = /SQLITE_BUSY|database is locked|Failed to get session commit token/i

/**
 * Whether a failure says that another connection held the lock, so that nothing was committed: SQLite says so itself, or
 * the local simulator failed to store the bookmark that it writes within the transaction of every query, reads included.
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
  return {
    async batch(statements) {
      // D1 refuses a batch without statements.
      if (statements.length === 0) return []
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(database, statements, meter)
        } catch (error) {
          if (tries === ATTEMPTS_MAX || !isLockFailure(error)) throw error
          await pause(tries, clock.nowMs())
        }
      }
    },
  }
}

async function attempt(
  database: D1Database,
  statements: readonly Statement[],
  meter: Meter,
): Promise<readonly StatementResult[]> {
  meter.calls += 1
  const prepared = statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
  const answers = await database.batch<ResultRow>(prepared)
  // The statements are used again after the batch on purpose: the local proxy of D1 loses a statement that is
  // garbage-collected before it has run.
  if (answers.length !== prepared.length) throw new Error('D1 answered another number of statements')
  const results = answers.map(({ results: rows, meta }): StatementResult => ({
    rows,
    changes: meta.changes,
    rowsRead: meta.rows_read,
    rowsWritten: meta.rows_written,
  }))
  countRows(meter, results)
  return results
}

/**
 * The pauses double. Each is multiplied by 0.5 to 1.5, chosen by the clock's last digits, so that two processes do not
 * retry at the same moments.
 */
async function pause(tries: number, nowMs: number): Promise<void> {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1))
  const spread = 0.5 + (nowMs % 101) / 100
  await new Promise((resume) => setTimeout(resume, pauseMs * spread))
}
