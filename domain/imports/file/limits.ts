/** The maximum size of a part, in bytes. */
export const PART_MAX_BYTES = 1024 * 1024

/**
 * The size of parts that a client should send. A part is read and checked in one piece, and its rows are staged in one
 * statement: smaller parts let other requests in between, larger ones save round trips.
 */
export const PART_BYTES = 256 * 1024

/** The largest file that can be imported. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024 * 1024

/** The number of problems after which an import is refused without checking the rest of the file. */
export const FILE_PROBLEMS_MAX = 50

/** After this time without a new part, another file may take the place of an import. */
export const IDLE_MS = 60_000

/**
 * For how long an import that receives nothing is kept, and for how long the result of an import is kept after its end.
 */
export const ABANDONED_HOURS = 24
export const ABANDONED_MS = ABANDONED_HOURS * 60 * 60 * 1000
