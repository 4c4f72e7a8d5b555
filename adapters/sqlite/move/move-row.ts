import type { Selection } from 'kysely'
import type { Move } from '../../../ports/placement/move-ledger.ts'
import type { Database } from '../database/database.ts'
import { parsed } from '../database/json-text.ts'

/** The columns of `moves` that tell of a move. */
export const moveColumns = [
  'move_id as moveId',
  'family_id as familyId',
  'source',
  'target',
  'phase',
  'token',
  'journal_id as journalId',
  'tables',
  'shown',
  'tries',
  'not_before as notBefore',
  'abort_asked as abortAsked',
  'failure',
  'started_at as startedAt',
  'ended_at as endedAt',
] as const

/** A move as it is stored. */
export type MoveRow = Selection<Database, 'moves', (typeof moveColumns)[number]>

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
