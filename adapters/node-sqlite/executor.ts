import type { DatabaseSync } from 'node:sqlite'
import type { Meter } from '../../ports/platform.ts'
import {
  countRows,
  createMeter,
  readsAlone,
  type BoundValue,
  type Executor,
  type Statement,
  type StatementResult,
} from '../sqlite/index.ts'
import { cachedStatements } from './statement-cache.ts'

/**
 * Runs statements on one open database. A batch runs from beginning to end before anything else in this process can
 * run, so the batches of concurrent callers never interleave.
 */
export function createExecutor(database: DatabaseSync, meter: Meter = createMeter()): Executor {
  const prepare = cachedStatements(database)
  const totalChanges = () => Number(prepare('select total_changes() as changes').get()?.changes)

  const runAll = (statements: readonly Statement[], onlyReads: boolean): readonly StatementResult[] => {
    const changesSoFar = onlyReads ? () => 0 : totalChanges
    let before = changesSoFar()
    return statements.map(({ sql, parameters }) => {
      const rows = prepare(sql).all(...parameters.map(checked))
      const after = changesSoFar()
      const changes = after - before
      before = after
      // node:sqlite gives rows without a prototype; callers compare and copy them as plain objects.
      return { rows: rows.map((row) => ({ ...row })), changes, rowsRead: null, rowsWritten: null }
    })
  }

  return {
    async batch(statements) {
      meter.calls += 1
      const onlyReads = readsAlone(statements)
      const work = () => runAll(statements, onlyReads)
      // A single SELECT sees one state of the database by itself.
      const isAtomic = onlyReads && statements.length === 1
      const results = isAtomic ? work() : inTransaction(database, onlyReads, work)
      countRows(meter, results)
      return results
    },
  }
}

/**
 * Runs work in a transaction. A write takes the lock at the beginning, so that it cannot fail halfway because another
 * process holds it.
 */
export function inTransaction<Result>(
  database: DatabaseSync,
  onlyReads: boolean,
  work: () => Result,
): Result {
  database.exec(onlyReads ? 'begin' : 'begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // Some failures have ended the transaction already.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

/** Refuses truth values and bigints: node:sqlite would store them, but hosted databases refuse or change them. */
function checked(value: BoundValue): BoundValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A parameter is a string, a number or null, not ${typeof value}`)
}
