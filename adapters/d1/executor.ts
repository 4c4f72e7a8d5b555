import type { D1Database, D1Result } from '@cloudflare/workers-types'
import type { Clock } from '../../ports/clock.ts'

/** One compiled statement with its parameters in order. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly (string | number | null)[]
}

/** What the storage cost so far. The rows are those that D1 bills. */
export interface Meter {
  /** Round trips to the database, retried ones included. */
  calls: number
  rowsRead: number
  rowsWritten: number
}

/** A meter at zero. */
export function createMeter(): Meter {
  return { calls: 0, rowsRead: 0, rowsWritten: 0 }
}

export type ResultRow = Record<string, unknown>

/** Runs statements; the only thing that touches the database. */
export interface Executor {
  /**
   * Runs the statements in one transaction and one round trip. All of them happen or none.
   * @returns one result per statement, in order
   */
  batch(statements: readonly Statement[]): Promise<readonly D1Result<ResultRow>[]>
}

/** Most attempts of one batch: some twelve seconds, in which an import that runs beside the service lets others in. */
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
  readonly meter: Meter
}

/** An executor over one D1 database. Batches that failed on a lock are tried again, a bounded number of times. */
export function createExecutor({ database, clock, meter }: ExecutorOptions): Executor {
  async function attempt(statements: readonly Statement[]): Promise<readonly D1Result<ResultRow>[]> {
    meter.calls += 1
    const prepared = statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
    const results = await database.batch<ResultRow>(prepared)
    // Looked at afterwards on purpose: the local proxy of D1 forgets a statement that is collected before it ran.
    if (results.length !== prepared.length) throw new Error('D1 answered another number of statements')
    for (const { meta } of results) {
      meter.rowsRead += meta.rows_read
      meter.rowsWritten += meta.rows_written
    }
    return results
  }

  return {
    async batch(statements) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(statements)
        } catch (error) {
          if (tries === ATTEMPTS_MAX || !isLockFailure(error)) throw error
          await pause(tries, clock.nowMs())
        }
      }
    },
  }
}

/** Doubling pauses, spread between half and one and a half by the clock's last digits: two processes do not meet. */
async function pause(tries: number, nowMs: number): Promise<void> {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1))
  const spread = 0.5 + (nowMs % 101) / 100
  await new Promise((resume) => setTimeout(resume, pauseMs * spread))
}
