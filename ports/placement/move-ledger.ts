import type { Place, PlaceChoice } from './placement.ts'

/**
 * The phase of a move. `copying`: rounds of copying, while the source serves requests. `switching`: an attempt to switch
 * is running; writes may be paused. `switched`: the family lives in the target, and the source is about to be closed.
 * `comparing`: the rows of both are compared. `aborting`: the move was given up, and the copied rows are deleted. `done`
 * and `aborted` are final.
 */
export type MovePhase = 'copying' | 'switching' | 'switched' | 'comparing' | 'done' | 'aborting' | 'aborted'

/** The progress of a move, for operators. */
export interface ShownProgress {
  /** How many rows have been copied. */
  readonly copiedRows: number
  /** How many rows of the source were found again in the target after the switch. */
  readonly comparedRows: number
  /**
   * The index of the table that is being copied or compared, and the number of tables. `table` equals `tables` when
   * none is left.
   */
  readonly table: number
  readonly tables: number
  /** For how long writes were paused for the switch, in ms; null: not yet. */
  readonly pausedMs: number | null
}

/** The record of a move. */
export interface Move {
  readonly moveId: string
  readonly familyId: string
  readonly source: Place
  readonly target: Place
  readonly phase: MovePhase
  /**
   * Identifies the attempt to switch that is running, or after which both places must be cleaned up; null: there is
   * none.
   */
  readonly token: string | null
  /** JSON that only the domain writes and reads: how far copying or comparing is; null: it has not begun. */
  readonly progress: string | null
  readonly shown: ShownProgress | null
  /** How many attempts to switch have failed. */
  readonly tries: number
  /**
   * A UTC instant. While the move runs, no attempt begins before it; null: an attempt may begin at any time. After its
   * end, what it has left is removed from then on; null: it has been, or is to stay.
   */
  readonly notBefore: string | null
  readonly isAbortAsked: boolean
  /** Why the move failed, or what is wrong after it; null: nothing is, or it was aborted on request. */
  readonly failure: string | null
  /** UTC instants. */
  readonly startedAt: string
  readonly endedAt: string | null
}

/** A change of a move's record. Values that are left out stay. */
export interface MoveTurn {
  readonly phase: MovePhase
  readonly token?: string | null
  readonly progress?: string | null
  readonly tries?: number
  readonly notBefore?: string | null
  readonly failure?: string
  /** Set when the phase is final. */
  readonly endedAt?: string
}

/** A move that is to begin. */
export interface NewMove extends Pick<Move, 'moveId' | 'familyId' | 'startedAt'> {
  /**
   * The place to which the family moves. For a database of its own a new one is created, even when the family has one
   * already.
   */
  readonly target: PlaceChoice
}

/**
 * The durable record of moves, in the same database as the directory, so that the family's place and the phase of its
 * move change in one step. Every method is atomic.
 */
export interface MoveLedger {
  /**
   * Opens a move from the place where the family lives, unless the family is already moving. Returns the running move;
   * the caller compares `moveId`. Null, and nothing is opened: the family does not exist, or would move from the shared
   * database to the shared database.
   */
  open(move: NewMove): Promise<Move | null>
  /** The move with this id; null: there is none. */
  find(moveId: string): Promise<Move | null>
  /** The move of a family that runs; null: none does. */
  running(familyId: string): Promise<Move | null>
  /**
   * Running moves on which no mover works, first those that no mover has taken for longest, and then ended moves of
   * which something is to be removed by now, unless their family moves again. At most `limit` of each.
   */
  idle(now: string, limit: number): Promise<readonly Move[]>
  /**
   * Leases the move to a mover until an instant. A mover may renew its own lease. Null: another mover has the lease, or
   * the move has ended. The lease only avoids duplicate work; the safety of a move depends on the target's
   * mover and on tokens alone.
   */
  take(moveId: string, mover: string, now: string, until: string): Promise<Move | null>
  /** Ends a mover's lease early. */
  release(moveId: string, mover: string): Promise<void>
  /**
   * Changes the phase, if phase and token are still those of the given record.
   * @returns the record after that; null: they are not, and nothing was changed
   */
  turn(move: Move, turn: MoveTurn): Promise<Move | null>
  /**
   * Stores how far the move is, for whoever continues it and for operators, if the mover still has the lease.
   * @returns whether it has
   */
  save(moveId: string, mover: string, progress: string | null, shown: ShownProgress): Promise<boolean>
  /**
   * Requests that the move be aborted.
   * @returns false: it has switched or ended, so it cannot be aborted
   */
  askAbort(moveId: string): Promise<boolean>
  /**
   * Makes the target the family's place. Directory and phase change in one step, if the move is `switching` with this
   * record's token. When the source is the shared database, the pause of every organization of the family must not have
   * ended; from then on the shared database refuses the family. When the target is the shared database, it serves the
   * family from then on.
   * @returns the changed record; null: a condition does not hold, and nothing was changed
   */
  switch(move: Move, now: string): Promise<Move | null>
}
