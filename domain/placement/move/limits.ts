/** The maximum pause of writes for one attempt to switch. An attempt that takes longer ends without effect. */
export const PAUSE_MAX_MS = 1_000

/**
 * How much of the pause an attempt may spend on the rest of the journal; the remaining time is for the switch itself.
 */
export const DRAIN_MAX_MS = 600

/** The maximum number of journal entries with which a pause may begin. */
export const SMALL_JOURNAL = 100

/** How many journal entries one step applies, and how many when rows exchange a unique value. */
export const DRAINED = 500
export const DRAINED_AT_ONCE = 5_000

/**
 * How long after its end a move is tidied up: longer than the calls of a mover that fell behind can take. A try that
 * failed is repeated after the same time, until `TIDY_MAX_MS` after the end.
 */
export const TIDY_AFTER_MS = 15 * 60_000
export const TIDY_MAX_MS = 24 * 60 * 60_000

/**
 * How long a mover waits for one call of a place. It is many times as long as a call takes, so a place that takes longer
 * does not work; whatever the call still does there is harmless to the move.
 */
export const CALL_MAX_MS = 10_000

/** For how long a mover has the lease of a move. Longer than any step takes. */
export const MOVE_LEASE_MS = 60_000

/** The waits between attempts to switch: the first one, and the longest. */
export const FIRST_WAIT_MS = 500
export const LONGEST_WAIT_MS = 60_000

/** After each step a move rests for as long as the step took, but no longer than this. */
export const REST_MAX_MS = 1_000

/** How long a move waits when the schema of one place is older than that of the other. */
export const SCHEMA_WAIT_MS = 10_000

/** How often copied rows may be found different although nobody wrote them, before the move is aborted. */
export const REPAIRS_MAX = 20

/** How many spans of rows one step copies or compares. The journal is read between two steps. */
export const SPANS_A_STEP = 16

/** When the changes that one step is to write have this many characters, it reads no further. */
export const STEP_CHARACTERS_MAX = 500_000

/**
 * How many rows that the source no longer has are read from the target with a span. With more of them, a span takes
 * several steps.
 */
export const EXTRA_ROWS = 200
