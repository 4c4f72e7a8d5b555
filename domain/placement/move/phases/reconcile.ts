import type { MoveChunk, MovedRow, MovedTable, TableChanges } from '../../../../ports/placement/move.ts'
import { fill, type Filled, type Filling } from './filling.ts'
import { EXTRA_ROWS, SPANS_A_STEP, STEP_CHARACTERS_MAX } from '../limits.ts'
import { isSameRow, keyOf, keyText, rowsByKey } from '../keys.ts'
import { behindSpan, type Progress } from '../progress.ts'
import { changedSum, EMPTY_SUM } from '../sums.ts'

/** The changes that make a span of the target equal to that of the source. */
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

/** The result of reading some spans, to be written in one step. */
interface Reconciled {
  readonly progress: Progress
  readonly changes: readonly TableChanges[]
  /** Whether to read the next span before writing. */
  readonly goesOn: boolean
}

/**
 * Makes the next spans of the target equal to the source's, and advances the progress. When a compared span differs in
 * a row that the journal does not name, the span is copied again, and compared again in the next step.
 *
 * A row that the journal names may still change. The sum includes its state in the target; when the journal entry is
 * applied, that state is subtracted and the new one added.
 */
export async function reconcileSpans(filling: Filling): Promise<Filled> {
  let progress = filling.progress
  const changes: TableChanges[] = []
  let characters = 0
  for (let span = 0; span < SPANS_A_STEP && progress.pass === filling.progress.pass; span += 1) {
    const reconciled = await reconcileSpan(filling, progress)
    progress = reconciled.progress
    changes.push(...reconciled.changes)
    characters += JSON.stringify(reconciled.changes).length
    if (!reconciled.goesOn || characters > STEP_CHARACTERS_MAX) break
  }
  return fill(filling, progress, changes)
}

/** Reads one span on both sides. */
async function reconcileSpan(filling: Filling, progress: Progress): Promise<Reconciled> {
  const { moveId, journalId, source, target, tables } = filling
  const table = tables[progress.table]
  if (table === undefined) throw new Error('A move has no such table')
  const chunk = await source.readChunk(
    journalId,
    table,
    progress.from,
    Math.min(source.rowsMax, target.rowsMax),
  )
  const span = { from: progress.from, to: chunk.to }
  const there = await target.readSpan(moveId, table, span, chunk.rows.length + EXTRA_ROWS)
  const found = spanChanges(table, chunk.rows, there.rows)
  const changes = found.deletes.length + found.inserts.length === 0 ? [] : [found]
  const behind = behindSpan(progress, span, tables)
  if (progress.pass === 'copy') {
    const copied = { ...behind, copiedRows: progress.copiedRows + chunk.rows.length }
    // The target has more rows in this span than it returned. Those that the source no longer has are deleted first,
    // and the span is read again.
    return { progress: there.isWhole ? copied : progress, changes, goesOn: there.isWhole }
  }
  // The journal names too many rows of the table, so it must be applied first.
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
