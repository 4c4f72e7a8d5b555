/** Runs work that must not delay the response. What must survive a crash belongs in the outbox instead. */
export interface Background {
  /** Lets `work` finish after the response was sent. A rejection is logged, never thrown to the caller. */
  run(work: Promise<unknown>): void
}
