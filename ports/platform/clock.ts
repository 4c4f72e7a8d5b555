/** Tells the time. The domain has no other way to learn it. */
export interface Clock {
  /** The current instant in milliseconds since 1970-01-01T00:00:00Z. Never throws. */
  nowMs(): number
}
