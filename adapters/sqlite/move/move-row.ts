import type { Move, MovePhase, ShownProgress } from '../../../ports/placement/move-ledger.ts'
import type { MovedTable } from '../../../ports/placement/move.ts'
import type { Place } from '../../../ports/placement/placement.ts'
import type { JsonText } from '../statement/json-text.ts'
import { parsed } from '../statement/json-text.ts'
import type { FieldColumns } from '../table/field-columns.ts'
import { fieldList } from '../table/field-columns.ts'

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
export const moveColumns = fieldList({
  moveId: 'move_id',
  familyId: 'family_id',
  source: 'source',
  target: 'target',
  phase: 'phase',
  token: 'token',
  journalId: 'journal_id',
  tables: 'tables',
  shown: 'shown',
  tries: 'tries',
  notBefore: 'not_before',
  abortAsked: 'abort_asked',
  failure: 'failure',
  startedAt: 'started_at',
  endedAt: 'ended_at',
} satisfies FieldColumns<MoveRow>)

/** Reads a row as a move. */
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
