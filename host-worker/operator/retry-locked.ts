import { setTimeout as pause } from 'node:timers/promises'
import type { Backoff } from '../../domain/bounds/backoff.ts'
import { doublingPauses, repeatWhileRejected } from '../../domain/bounds/backoff.ts'
import { isStorageLocked } from '../wiring/storage.ts'

/** Ten tries, five seconds in all or so. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(10, 9), spread: { least: 0.5, most: 1.5 } }

/** Does the work again, with growing pauses, while another process holds the local database. */
export function retryLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const repeating = {
    isPassing: isStorageLocked,
    draw: () => Math.random(),
    // Not the service's timers: they alone would not keep Node alive.
    wait: (durationMs: number) => pause(durationMs),
  }
  return repeatWhileRejected(BACKOFF, repeating, work)
}
