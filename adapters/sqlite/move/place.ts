import type { MovePlace } from '../../../ports/placement/move.ts'
import type { Executor } from '../statement/executor.ts'
import type { MoveControl } from './control.ts'
import { forgetMove } from './forget.ts'
import { forgetJournal, isJournaling, readJournal, startJournal, stopJournal } from './journal.ts'
import { readMovedTables } from './moved-tables.ts'
import { readChunk } from './read-chunk.ts'
import { readRows, readSpan } from './read-rows.ts'
import { readKnownTriggers, type KnownTriggers } from './silenced.ts'
import { beginTarget, finishTarget, reopenTarget, targetState, writeTarget } from './target.ts'

export interface MovePlaceOptions {
  /** Runs statements on the place in any state, without checking which families it serves. */
  readonly executor: Executor
  readonly control: MoveControl
  /** How many rows one step reads or writes at most. This bounds how long others wait for the database. */
  readonly rowsMax: number
}

/** A source or target of moves, over one SQLite database. No I/O. */
export function createMovePlace({ executor, control, rowsMax }: MovePlaceOptions): MovePlace {
  let triggers: KnownTriggers | null = null
  return {
    rowsMax,
    tables: () => readMovedTables(executor),
    start: (journalId, familyId, tables) => startJournal(executor, journalId, familyId, tables),
    isJournaling: (journalId, tables) => isJournaling(executor, journalId, tables),
    readChunk: (journalId, table, from, limit) => readChunk(executor, journalId, table, from, limit),
    readRows: (wanted) => readRows(executor, wanted),
    readJournal: (journalId, limit) => readJournal(executor, journalId, limit),
    forgetJournal: (journalId, upTo) => forgetJournal(executor, journalId, upTo),
    stop: (id) => stopJournal(executor, id, { isForgotten: true }),
    pause: (journalId, token, untilMs) => control.pause(journalId, token, untilMs),
    seal: (journalId, token) => control.seal(journalId, token),
    resume: (token) => control.resume(token),
    close: () => control.close(),
    async begin(moveId, progress) {
      await control.begin()
      await beginTarget(executor, moveId, progress)
    },
    state: (moveId) => targetState(executor, moveId),
    readSpan: (moveId, table, span, limit) => readSpan(executor, moveId, table, span, limit),
    async write(moveId, version, progress, changes) {
      triggers ??= await readKnownTriggers(executor)
      const outcome = await writeTarget(executor, triggers, moveId, version, progress, changes)
      if (outcome === 'schema_changed') triggers = null
      return outcome
    },
    async finish(moveId, version, token) {
      if (!(await finishTarget(executor, { moveId, version, token }))) return false
      await control.finish(token)
      return true
    },
    async reopen(moveId, token) {
      await reopenTarget(executor, moveId, token)
      await control.reopen(token)
    },
    open: (token) => control.open(token),
    forget: (moveId) => forgetMove(executor, moveId),
    empty: (moveId) => control.empty(moveId),
  }
}
