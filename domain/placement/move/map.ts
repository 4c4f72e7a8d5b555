import type { MovePhase } from '../../../ports/placement/move-ledger.ts'
import type { PlaceState } from './place-states.ts'

/** The phases that may follow each phase of a move. */
export const NEXT_PHASES: Readonly<Record<MovePhase, readonly MovePhase[]>> = {
  copying: ['switching', 'aborting'],
  switching: ['switched', 'copying'],
  switched: ['comparing'],
  comparing: ['done'],
  aborting: ['aborted'],
  done: [],
  aborted: [],
}

/** One step of a move. */
export interface MoveStep {
  /** The phase that the ledger has after the step. */
  readonly phase: MovePhase
  /** The method that is called, and where. */
  readonly does: string
  /** The states in which the step leaves both places. */
  readonly source: PlaceState
  readonly target: PlaceState
}

/** The steps of a move that nothing disturbs, in their order. */
export const MOVE_STEPS: readonly MoveStep[] = [
  { phase: 'copying', does: '`open` in the ledger', source: 'open', target: 'empty' },
  { phase: 'copying', does: '`begin` at the target', source: 'open', target: 'filling' },
  { phase: 'copying', does: '`write` at the target: rounds', source: 'open', target: 'filling' },
  { phase: 'switching', does: '`turn` in the ledger: an attempt', source: 'open', target: 'filling' },
  { phase: 'switching', does: '`pause` at the source', source: 'paused', target: 'filling' },
  { phase: 'switching', does: '`write` at the target: the last round', source: 'paused', target: 'filling' },
  { phase: 'switching', does: '`finish` at the target', source: 'paused', target: 'finished' },
  { phase: 'switching', does: '`seal` at the source', source: 'sealed', target: 'finished' },
  { phase: 'switched', does: '`switch` in the directory', source: 'sealed', target: 'finished' },
  { phase: 'switched', does: '`open` at the target', source: 'sealed', target: 'open' },
  { phase: 'switched', does: '`close` at the source', source: 'closed', target: 'open' },
  { phase: 'comparing', does: '`turn` in the ledger', source: 'closed', target: 'open' },
  { phase: 'done', does: '`turn` in the ledger', source: 'closed', target: 'open' },
  { phase: 'done', does: '`empty` at the source, a day later', source: 'empty', target: 'open' },
]
