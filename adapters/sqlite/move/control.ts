/**
 * How a move admits or refuses the requests of others at a place, and removes the rows of a family. The shared database
 * keeps pauses in a table, and its directory decides which families it serves; a family's own database keeps a state.
 * Every method may be repeated.
 */
export interface MoveControl {
  /** Prepares the place to be filled. */
  begin(): Promise<void>
  /** Pauses writes until an instant, in ms; the first write after it ends the pause. */
  pause(journalId: string, token: string, untilMs: number): Promise<void>
  /** Makes the pause of this token one without an end. False: the pause has ended meanwhile. */
  seal(journalId: string, token: string): Promise<boolean>
  /** Ends the pause that `pause` or `seal` made with this token. */
  resume(token: string): Promise<void>
  /**
   * Lets the place answer reads from the switch on, and refuse writes until `open` is called. The record of the filling
   * has been ended for this token before.
   */
  finish(token: string): Promise<void>
  /** Reverses `finish` with this token. The record of the filling has been opened again before. */
  reopen(token: string): Promise<void>
  /** Allows writes, after `finish` with this token. */
  open(token: string): Promise<void>
  /** Refuses reads and writes of the family. */
  close(): Promise<void>
  /**
   * Ends what is left of a move, and deletes rows of families that the directory places elsewhere: a bounded number, or
   * all at once. Afterwards the move can no longer write here.
   * @returns whether nothing is left to delete
   */
  empty(moveId: string): Promise<boolean>
}
