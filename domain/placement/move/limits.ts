/** How long writes are paused at most for one try to switch. A try that takes longer ends by itself. */
export const PAUSE_MAX_MS = 1_000

/** How long a try may spend on what the journal holds when the pause begins; the rest is for the switch itself. */
export const DRAIN_MAX_MS = 600

/**
 * After the switch, writes in the shared database wait until the source was closed. If nobody closes it for so long, they
 * go on: an isolate that remembers the source could then read there what is no longer so.
 */
export const OPEN_AFTER_MS = 10 * 60_000

/** The pause begins when the journal holds at most so many entries. */
export const SMALL_JOURNAL = 100

/** Entries of the journal that are taken up in one step; and when rows would trade a unique value, so many. */
export const DRAINED = 500
export const DRAINED_AT_ONCE = 5_000

/** A mover has a move for so long before another one may take it. Longer than any step takes. */
export const LEASE_MS = 60_000

/** Waits between tries to switch: the first one, and the longest. */
export const FIRST_WAIT_MS = 500
export const LONGEST_WAIT_MS = 60_000

/** A move rests after each step for as long as that took, but no longer than this. */
export const REST_MAX_MS = 1_000

/** How long a move waits for a place whose schema is older than that of the other. */
export const SCHEMA_WAIT_MS = 10_000

/** A move is given up when rows that were copied are found different so often, though nobody wrote them. */
export const REPAIRS_MAX = 20

/** Spans of rows that one step copies or compares. Between two steps the journal is looked at. */
export const SPANS_A_STEP = 16

/** When what one step is to write has grown to so many characters, it reads no further. */
export const STEP_BYTES_MAX = 500_000

/** Rows of a span that the source has no longer and the target still has; with more of them, a span takes several steps. */
export const EXTRA_ROWS = 200
