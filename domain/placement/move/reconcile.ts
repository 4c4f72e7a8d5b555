import type { MoveChunk, MovedRow, MovedTable, TableChanges } from '../../../ports/move.ts'
import type { Filled, Filling } from './filling.ts'
import { fill } from './filling.ts'
import { SPANS_A_STEP, STEP_BYTES_MAX } from './limits.ts'
import { isSameRow, keyOf, keyText, rowsByKey } from './keys.ts'
import type { Progress } from './progress.ts'
import { behindSpan } from './progress.ts'
import { changedSum, EMPTY_SUM } from './sums.ts'

/** What a span of the target lacks to be like the source's. */
function spanChanges(table: MovedTable, rows: readonly MovedRow[], there: readonly MovedRow[]): TableChanges {
  const wanted = rowsByKey(table, rows)
  const found = rowsByKey(table, there)
  const other = (row: MovedRow) => keyText(keyOf(table, row))
  return {
    table,
    deletes: there.filter((row) => !isSameRow(wanted.get(other(row)), row)).map((row) => keyOf(table, row)),
    inserts: rows.filter((row) => !isSameRow(found.get(other(row)), row)),
  }
}

/** Whether the changes concern only rows that the journal names: those are copied again anyway. */
function isJournaled({ table, deletes, inserts }: TableChanges, { journaled }: MoveChunk): boolean {
  const named = new Set((journaled ?? []).map(keyText))
  return [...deletes, ...inserts.map((row) => keyOf(table, row))].every((key) => named.has(keyText(key)))
}

/** What was read of some spans, and is to be written in one step. */
interface Reconciled {
  readonly progress: Progress
  readonly changes: readonly TableChanges[]
  /** Whether the next span is read before anything is written. */
  readonly goesOn: boolean
}

/**
 * Makes the next spans of the target like the source's, and moves on. When spans are compared and one is different in a
 * row that the journal does not name, it is copied again, and compared again in the next step.
 *
 * A row that the journal names may change again at any moment. It is counted in the sum as the target has it; when the
 * journal is taken up, that row is taken out of the sum again and the new one is added.
 */
export async function reconcileSpans(filling: Filling): Promise<Filled> {
  let progress = filling.progress
  const changes: TableChanges[] = []
  let bytes = 0
  for (let span = 0; span < SPANS_A_STEP && progress.pass === filling.progress.pass; span += 1) {
    const reconciled = await reconcileSpan(filling, progress)
    progress = reconciled.progress
    changes.push(...reconciled.changes)
    bytes += JSON.stringify(reconciled.changes).length
    if (!reconciled.goesOn || bytes > STEP_BYTES_MAX) break
  }
  return fill(filling, progress, changes)
}

/** Reads one span on both sides. */
async function reconcileSpan(filling: Filling, progress: Progress): Promise<Reconciled> {
  const { moveId, journalId, source, target, tables } = filling
  const table = tables[progress.table]
  if (table === undefined) throw new Error('A move has no such table')
  const chunk = await source.readChunk(journalId, table, progress.from)
  const span = { from: progress.from, to: chunk.to }
  const there = await target.readSpan(moveId, table, span)
  const found = spanChanges(table, chunk.rows, there.rows)
  const changes = found.deletes.length + found.inserts.length === 0 ? [] : [found]
  const behind = behindSpan(progress, span, tables)
  if (progress.pass === 'copy') {
    const copied = { ...behind, copiedRows: progress.copiedRows + chunk.rows.length }
    // The target has more rows here than it showed, which the source has no longer: those that it showed go first.
    return { progress: there.isWhole ? copied : progress, changes, goesOn: there.isWhole }
  }
  // So much was written of the table that the journal is taken up first.
  if (chunk.journaled === null) return { progress, changes: [], goesOn: false }
  if (!there.isWhole || !isJournaled(found, chunk)) {
    return { progress: { ...progress, repairs: progress.repairs + 1 }, changes, goesOn: false }
  }
  return { progress: compared(progress, behind, table, there.rows), changes: [], goesOn: true }
}

function compared(
  progress: Progress,
  behind: Progress,
  table: MovedTable,
  rows: readonly MovedRow[],
): Progress {
  const sum = changedSum(progress.sums[table.name] ?? EMPTY_SUM, rows, [])
  return {
    ...behind,
    comparedRows: progress.comparedRows + rows.length,
    sums: { ...progress.sums, [table.name]: sum },
  }
}
