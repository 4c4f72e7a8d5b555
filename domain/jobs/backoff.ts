import type { RandomSource } from '../../ports/random-source.ts'

/**
 * Pauses between attempts in ms: 8 attempts within 21 hours. All of them lie within the 24 hours for which an email
 * provider recognises an idempotency key, so that no attempt of its own accord can send a second copy.
 */
const PAUSES_MS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000]

/** Most attempts before an entry is left to the operator. */
export const ATTEMPTS_MAX = PAUSES_MS.length + 1

/** The share of a pause that is drawn, so that entries which failed together do not come back together. */
const JITTER = 0.25

/** The pause behind an attempt (the first is 1) in ms: it may be up to a quarter shorter, never longer. */
export function pauseAfter(attempt: number, random: RandomSource): number {
  const pauseMs = PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1] ?? 0
  const [draw = 0] = random.bytes(1)
  return Math.round(pauseMs * (1 - (JITTER * draw) / 255))
}
