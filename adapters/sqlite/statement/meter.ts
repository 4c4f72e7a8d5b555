import type { Meter } from '../../../ports/platform.ts'
import type { StatementResult } from './executor.ts'

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
