import type { Move, MovePhase, ShownProgress } from '../../../ports/move-ledger.ts'
import type { MovedTable } from '../../../ports/move.ts'
import type { Place } from '../../../ports/placement.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import { sql } from '../statement/sql.ts'

/** A move as it is stored. */
export interface MoveRow {
  readonly moveId: string
  readonly familyId: string
  readonly source: JsonText<Place>
  readonly target: JsonText<Place>
  readonly phase: MovePhase
  readonly token: string | null
  readonly journalId: string | null
  readonly tables: JsonText<readonly MovedTable[]> | null
  readonly shown: JsonText<ShownProgress> | null
  readonly tries: number
  readonly notBefore: string | null
  readonly abortAsked: number
  readonly failure: string | null
  readonly startedAt: string
  readonly endedAt: string | null
}

/** The columns of a `MoveRow`. */
export const moveColumns = sql`move_id as "moveId", family_id as "familyId", source, target, phase, token, journal_id as "journalId", "tables", shown,
  tries, not_before as "notBefore", abort_asked as "abortAsked", failure, started_at as "startedAt",
  ended_at as "endedAt"`

/** The move of a row. */
export function moveOf({ source, target, tables, shown, abortAsked, ...row }: MoveRow): Move {
  return {
    ...row,
    source: parsed(source),
    target: parsed(target),
    tables: tables === null ? null : parsed(tables),
    shown: shown === null ? null : parsed(shown),
    isAbortAsked: abortAsked === 1,
  }
}
