import * as v from 'valibot'
import type { MovedTable, MoveKey, TableSpan } from '../../../ports/placement/move.ts'
import type { ShownProgress } from '../../../ports/placement/move-ledger.ts'
import { parseJson } from '../../text/json.ts'
import { isBehind } from './keys.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const MovePosition = v.object({
  organizationId: v.string(),
  after: v.nullable(v.pipe(v.array(v.nullable(v.union([v.string(), v.number()]))), v.readonly())),
})

const StoredProgress = v.object({
  pass: v.picklist(['copy', 'compare', 'settled']),
  /** The index of the table that is being copied or compared, and the position in it. */
  table: count,
  from: v.nullable(MovePosition),
  copiedRows: count,
  comparedRows: count,
  /** How often rows were found different that should have been equal, and were copied again. */
  repairs: count,
  /** The sums of the rows that were found equal, by the table's name. */
  sums: v.record(v.string(), v.object({ rows: count, hash: v.pipe(v.string(), v.regex(/^[0-9a-f]+$/)) })),
})

/**
 * How far a target is filled. The target stores it with its rows. First all tables are copied. Then all rows are read
 * on both sides and compared. Then the target is `settled`, and only the rows in the journal are still copied.
 */
export type Progress = Readonly<v.InferOutput<typeof StoredProgress>>

const START: Progress = {
  pass: 'copy',
  table: 0,
  from: null,
  copiedRows: 0,
  comparedRows: 0,
  repairs: 0,
  sums: {},
}

/** The progress of a target to which nothing has been copied. */
export const STARTED = JSON.stringify(START)

/**
 * Parses the progress that a target stored. Throws when it is not understood: during a deployment, another version of
 * the service may have worked on the same move. Nothing is copied then, and the move can still be given up.
 */
export function parseProgress(text: string): Progress {
  const read = v.safeParse(StoredProgress, parseJson(text))
  if (!read.success)
    throw new Error('The progress of the move was stored by a version that this one does not understand')
  return read.output
}

/** The progress after a span of the present table. */
export function behindSpan(progress: Progress, span: TableSpan, tables: readonly MovedTable[]): Progress {
  if (span.to !== null) return { ...progress, from: span.to }
  const table = progress.table + 1
  if (table < tables.length) return { ...progress, table, from: null }
  return progress.pass === 'copy'
    ? { ...progress, pass: 'compare', table: 0, from: null }
    : { ...progress, pass: 'settled', table, from: null }
}

/** The progress that starts the comparison again. */
export function comparedAnew(progress: Progress): Progress {
  return {
    ...progress,
    pass: 'compare',
    table: 0,
    from: null,
    comparedRows: 0,
    sums: {},
    repairs: progress.repairs + 1,
  }
}

/** Whether the present pass has read a row already. It will still read all others. */
export function isReached(progress: Progress, tableIndex: number, key: MoveKey): boolean {
  if (progress.pass === 'settled' || tableIndex < progress.table) return true
  return tableIndex === progress.table && !isBehind(key, progress.from)
}

/** The progress in the form that is shown to operators. */
export function shownProgress(progress: Progress, tables: readonly MovedTable[]): ShownProgress {
  const { copiedRows, comparedRows, table } = progress
  return { copiedRows, comparedRows, table, tables: tables.length, pausedMs: null }
}
