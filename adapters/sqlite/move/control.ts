/**
 * What a move does to a place beside reading and writing rows: who is let in, and how the rows of a family are removed.
 * The shared database keeps pauses in a table, and the directory decides whether it answers at all; the database of one
 * family keeps a state of its own. Every method may be repeated.
 */
export interface MoveControl {
  /** Makes the place ready to be filled. */
  begin(): Promise<void>
  /** Pauses writes until an instant, in ms; the first write after it ends the pause. */
  pause(journalId: string, token: string, untilMs: number): Promise<void>
  /** Pauses writes without end, if the pause of the token was never ended; whether it is so. */
  seal(journalId: string, token: string): Promise<boolean>
  /** Ends what `pause` or `seal` of this token began. */
  resume(token: string): Promise<void>
  /** Answers reads from now on, and no writes until `open`; nobody is sent here before the switch. */
  prepare(token: string): Promise<void>
  /** Takes `prepare` of this token back. */
  unprepare(token: string): Promise<void>
  /** Lets writes in, after `prepare` with this token. */
  open(token: string): Promise<void>
  /** Refuses reads and writes of the family. */
  close(): Promise<void>
  /**
   * Ends what lasts of a move, and deletes rows of the family that the directory places elsewhere, a bounded number or
   * all at once. A move cannot write here afterwards.
   * @returns whether nothing is left
   */
  empty(moveId: string): Promise<boolean>
}
