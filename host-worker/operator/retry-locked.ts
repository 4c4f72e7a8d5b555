import { setTimeout as pause } from 'node:timers/promises'
import { isLockFailure } from '../../adapters/d1/index.ts'

const ATTEMPTS_MAX = 10
const FIRST_PAUSE_MS = 10

/** Does the work again, with growing pauses, while another process holds the local database. */
export async function retryLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === ATTEMPTS_MAX || !isLockFailure(error)) throw error
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()))
    }
  }
}
