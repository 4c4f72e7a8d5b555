/** Most bytes of a part. */
export const PART_MAX_BYTES = 1024 * 1024

/**
 * The size of parts that a client should send. A part is read and checked in one piece, and its rows are staged in one
 * statement: smaller parts let other requests in between, larger ones save round trips.
 */
export const PART_BYTES = 256 * 1024

/** The largest file that can be imported. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024 * 1024

/** Most problems that are collected before an import is refused without looking at the rest of the file. */
export const problemsMax = 20

/** How long nothing must have come for an import before another file may take its place. */
export const IDLE_MS = 60_000

/** How long an import that received nothing is kept. After its end, its result is kept as long. */
export const ABANDONED_MS = 24 * 60 * 60 * 1000
