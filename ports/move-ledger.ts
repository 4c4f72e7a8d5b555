import type { MovedTable } from './move.ts'
import type { Place, PlaceChoice } from './placement.ts'

/**
 * How far a move is. `starting`: the source begins to note its changes. `copying`: rows are copied and compared while the
 * source serves. `switching`: a try to switch runs; writes may be paused. `switched`: the family lives in the target,
 * and the source is about to be closed. `emptying`: rows of the source are deleted. `aborting`: the move was given up, and
 * what was copied is deleted. `done` and `aborted` are final.
 */
export type MovePhase =
  'starting' | 'copying' | 'switching' | 'switched' | 'emptying' | 'done' | 'aborting' | 'aborted'

/** How far a move is, for whoever watches it. */
export interface ShownProgress {
  /** Rows that were copied so far. */
  readonly copiedRows: number
  /** Rows that were read on both sides again and found equal. */
  readonly comparedRows: number
  /** The table that is copied or compared, and how many there are; `table` equals `tables` when none is left. */
  readonly table: number
  readonly tables: number
  /** How long writes were paused for the switch, in ms; null: not yet. */
  readonly pausedMs: number | null
}

/** The record of a move. */
export interface Move {
  readonly moveId: string
  readonly familyId: string
  readonly source: Place
  readonly target: Place
  readonly phase: MovePhase
  /** Names the try to switch that runs, or that is to be cleaned up after; null: there is none. */
  readonly token: string | null
  /** The journal of the source; null until it has begun. */
  readonly journalId: string | null
  /** The tables that move; null until they are known. */
  readonly tables: readonly MovedTable[] | null
  readonly shown: ShownProgress | null
  /** How many tries to switch were given back. */
  readonly tries: number
  /** Before this UTC instant no try begins; null: any time. */
  readonly notBefore: string | null
  readonly isAbortAsked: boolean
  /** Why the move was given up; null: it was not, or because somebody asked. */
  readonly failure: string | null
  /** UTC instants. */
  readonly startedAt: string
  readonly endedAt: string | null
}

/** Where a phase leads: what changes in the record. What is left out stays. */
export interface MoveTurn {
  readonly phase: MovePhase
  readonly token?: string | null
  readonly journalId?: string
  readonly tables?: readonly MovedTable[]
  readonly tries?: number
  readonly notBefore?: string | null
  readonly failure?: string
  /** Set when the phase is final. */
  readonly endedAt?: string
}

/** A move that is to begin. */
export interface NewMove extends Pick<Move, 'moveId' | 'familyId' | 'startedAt'> {
  /** Where the family is to live. A database of its own is always a new one, also when it has one. */
  readonly target: PlaceChoice
}

/**
 * The durable record of moves, in the same database as the directory, so that the family's place and the phase of its move
 * change in one step. Every method is atomic.
 */
export interface MoveLedger {
  /**
   * Opens a move from where the family lives, unless it is being moved. Returns the move that runs then; the caller
   * compares `moveId`. Null, and nothing is opened: there is no such family, or it is to move from the shared database to
   * the shared database.
   */
  open(move: NewMove): Promise<Move | null>
  /** The move of this id; null: there is none. */
  find(moveId: string): Promise<Move | null>
  /** The move of a family that runs; null: none does. */
  running(familyId: string): Promise<Move | null>
  /** Moves that run and that nobody works on, the one begun first coming first, at most `limit`. */
  idle(now: string, limit: number): Promise<readonly Move[]>
  /**
   * Gives the move to a mover until an instant. A mover may take what it has again. Null: another mover has it, or it
   * has ended. The lease saves work; what a mover may do depends on versions and tokens alone.
   */
  take(moveId: string, mover: string, now: string, until: string): Promise<Move | null>
  /** Gives a move back before the lease has ended. */
  release(moveId: string, mover: string): Promise<void>
  /**
   * Changes the phase, if phase, token and journal are still those of the given record.
   * @returns the record after that; null: they are not, and nothing was changed
   */
  turn(move: Move, turn: MoveTurn): Promise<Move | null>
  /** Notes how far the move is. */
  show(moveId: string, shown: ShownProgress): Promise<void>
  /**
   * Asks that the move be given up.
   * @returns false: it has switched or ended, so it cannot be
   */
  askAbort(moveId: string): Promise<boolean>
  /**
   * Lets the family live in the target: directory and phase change in one step, if the move is `switching` with this
   * record's token. When the source is the shared database, also only if its pause was never ended and its journal is
   * empty; from that moment it refuses the family. When the target is, writes there stay paused until `openUntil`.
   * @returns the record after that; null: it cannot be, and nothing was changed
   */
  switch(move: Move, now: string, openUntil: string): Promise<Move | null>
}
