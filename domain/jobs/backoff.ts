import type { Backoff } from '../bounds/backoff.ts'

/**
 * Attempts at an outbox entry before it is left to the operator: eight within 21 hours. An email provider recognises an
 * idempotency key for 24 hours, so no automatic attempt can send a second copy. For the same reason the spread only
 * shortens pauses.
 */
export const BACKOFF: Backoff = {
  pausesMs: [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000],
  spread: { least: 0.75, most: 1 },
}
