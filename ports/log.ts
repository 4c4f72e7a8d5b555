/** What a log line may carry: short technical facts, never a key, an answer, an address or a body. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Writes structured log lines. Implementations never throw and never block the caller. */
export interface Log {
  /** Something an operator may want to count: one line per event. */
  info(event: string, fields: LogFields): void
  /** Something an operator should look at. `cause` is an internal error; it is logged, never answered. */
  error(event: string, fields: LogFields, cause?: unknown): void
}
