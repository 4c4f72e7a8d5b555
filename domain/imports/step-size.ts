/** How long one step of writing should take, in ms. The database serves nothing else meanwhile. */
const STEP_MS = 200

/** The size of a request's first step, when the speed of the database is not yet known. */
export const FIRST_STEP_CHUNKS = 4

/** The bounds of a step's size, however long steps take. */
const STEP_MIN_CHUNKS = 2
const STEP_MAX_CHUNKS = 8

/**
 * How many chunks the next step should write, when a step of `chunks` took `tookMs`. Large steps are cheaper per row,
 * because rows share pages of the database and one commit. So a step is as large as the time allows.
 */
export function nextStepChunks(chunks: number, tookMs: number): number {
  const fitting = Math.round((chunks * STEP_MS) / Math.max(tookMs, 1))
  return Math.min(STEP_MAX_CHUNKS, chunks * 2, Math.max(STEP_MIN_CHUNKS, fitting))
}
