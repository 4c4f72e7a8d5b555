import type { MoveChunk, MovedRow, MovedTable, TableChanges } from '../../../ports/move.ts'
import type { Filled, Filling } from './filling.ts'
import { fill } from './filling.ts'
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

/**
 * Makes the next span of the target like the source's, and moves on. When spans are compared and one is different in a row
 * that the journal does not name, it is copied again, and compared again in the next step.
 *
 * A row that the journal names may change again at any moment. It is counted in the sum as the target has it; when the
 * journal is taken up, that row is taken out of the sum again and the new one is added.
 */
export async function reconcileSpan(filling: Filling): Promise<Filled | { readonly kind: 'journal_first' }> {
  const { moveId, journalId, source, target, tables, progress } = filling
  const table = tables[progress.table]
  if (table === undefined) throw new Error('A move has no such table')
  const chunk = await source.readChunk(journalId, table, progress.from)
  const span = { from: progress.from, to: chunk.to }
  const there = await target.readSpan(moveId, table, span)
  const changes = spanChanges(table, chunk.rows, there.rows)
  const behind = behindSpan(progress, span, tables)
  if (progress.pass === 'copy') {
    const copied = { ...behind, copiedRows: progress.copiedRows + chunk.rows.length }
    return fill(filling, there.isWhole ? copied : progress, withoutNothing(changes))
  }
  if (chunk.journaled === null) return { kind: 'journal_first' }
  if (!there.isWhole || !isJournaled(changes, chunk)) {
    return fill(filling, { ...progress, repairs: progress.repairs + 1 }, withoutNothing(changes))
  }
  return fill(filling, compared(progress, behind, table, there.rows), [])
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

function withoutNothing(changes: TableChanges): readonly TableChanges[] {
  return changes.deletes.length + changes.inserts.length === 0 ? [] : [changes]
}
