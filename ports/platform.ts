/** Tells the time. The domain has no other way to learn it. */
export interface Clock {
  /** The current instant in milliseconds since 1970-01-01T00:00:00Z. Never throws. */
  nowMs(): number
}

/** Draws randomness fit for secrets and identifiers. */
export interface RandomSource {
  /** `length` bytes from a cryptographically secure generator. Never throws. */
  bytes(length: number): Uint8Array<ArrayBuffer>
}

/**
 * Bounds how long the domain waits for something that an outside party controls, such as the rest of a request body.
 */
export interface Deadline {
  /** A signal that aborts once `durationMs` milliseconds have passed from now. Never throws. */
  after(durationMs: number): AbortSignal
}

/** Runs work that must not delay the response. What must survive a crash belongs in the outbox instead. */
export interface Background {
  /** Lets `work` finish after the response was sent. A rejection is logged, never thrown to the caller. */
  run(work: Promise<unknown>): void
}

/**
 * Counts what a storage has cost so far. Whoever opens a storage provides the meter, and reads it when the work is
 * done.
 */
export interface Meter {
  /** Batches sent to the database, repetitions included. Each is a round trip when the database is remote. */
  calls: number
  /** Rows that the database read, if it counts them. Hosted databases bill these. */
  rowsRead: number
  /** Rows of tables and entries of indexes that the database wrote, if it counts them. */
  rowsWritten: number
}

/** The fields of a log line: short technical facts, never a key, an answer, an address or a body. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Writes structured log lines. Implementations never throw and never block the caller. */
export interface Log {
  /** Logs an event that an operator may want to count. */
  info(event: string, fields: LogFields): void
  /**
   * Logs something that an operator should look at. `cause` is an internal error; it is logged, and never part of a
   * reply.
   */
  error(event: string, fields: LogFields, cause?: unknown): void
}
