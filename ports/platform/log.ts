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
