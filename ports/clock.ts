/** Tells the time. The only way the domain learns what time it is. */
export interface Clock {
  /** The current instant in milliseconds since 1970-01-01T00:00:00Z. Never throws. */
  nowMs(): number
}
