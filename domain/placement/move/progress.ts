import type { MovedTable, MoveKey, MovePosition, TableSpan } from '../../../ports/move.ts'
import type { ShownProgress } from '../../../ports/move-ledger.ts'
import { isBehind } from './keys.ts'
import type { TableSum } from './sums.ts'

/**
 * How far a target is filled; the target stores it with its rows. All tables are copied; then they are read on both sides
 * again, and compared; then they are `settled`, and only what the journal names is still looked at.
 */
export interface Progress {
  readonly pass: 'copy' | 'compare' | 'settled'
  /** The table that is copied or compared now, and from where. */
  readonly table: number
  readonly from: MovePosition | null
  readonly copiedRows: number
  readonly comparedRows: number
  /** How often rows were found different that should have been equal, and were copied again. */
  readonly repairs: number
  /** Rows that were found equal, of each table by its name. */
  readonly sums: Readonly<Record<string, TableSum>>
}

const START: Progress = {
  pass: 'copy',
  table: 0,
  from: null,
  copiedRows: 0,
  comparedRows: 0,
  repairs: 0,
  sums: {},
}

/** The progress of a target into which nothing was copied. */
export const STARTED = JSON.stringify(START)

/** The progress that a target stored. */
export function parseProgress(text: string): Progress {
  // The text was written by this module, in this version or another one that ran the same move.
  return JSON.parse(text) as Progress
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

/** The progress when everything is to be compared again. */
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

/** Whether the present pass has reached a row; the one that copies, or the one that compares, will still read the others. */
export function isReached(progress: Progress, tableIndex: number, key: MoveKey): boolean {
  if (progress.pass === 'settled' || tableIndex < progress.table) return true
  return tableIndex === progress.table && !isBehind(key, progress.from)
}

/** The progress for whoever watches. */
export function shownProgress(progress: Progress, tables: readonly MovedTable[]): ShownProgress {
  const { copiedRows, comparedRows, table } = progress
  return { copiedRows, comparedRows, table, tables: tables.length, pausedMs: null }
}
