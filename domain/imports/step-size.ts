/** How long one step of writing should take: the database serves nothing else meanwhile. */
const STEP_MS = 200

/** The first step of a request, which does not know yet how fast the database is. */
export const FIRST_STEP_CHUNKS = 4

/** Fewest and most chunks of a step, whatever they take. */
const STEP_MIN_CHUNKS = 2
const STEP_MAX_CHUNKS = 8

/**
 * How many chunks the next step writes, when one of `chunks` took `tookMs`. A row costs less the more rows are written
 * with it, because they share pages of the database and one commit; so a step is as large as the time allows.
 */
export function nextStepChunks(chunks: number, tookMs: number): number {
  const fitting = Math.round((chunks * STEP_MS) / Math.max(tookMs, 1))
  return Math.min(STEP_MAX_CHUNKS, chunks * 2, Math.max(STEP_MIN_CHUNKS, fitting))
}
