/**
 * Bounds how long the domain waits for something that an outside party controls, such as the rest of a request body.
 */
export interface Deadline {
  /** A signal that aborts once `durationMs` milliseconds have passed from now. Never throws. */
  after(durationMs: number): AbortSignal
}
