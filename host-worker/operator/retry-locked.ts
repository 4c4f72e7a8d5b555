import { setTimeout as pause } from 'node:timers/promises'

/**
 * How a local database says that another process held it. The second: the simulator takes its commit token within the
 * transaction, so a token that could not be had has rolled everything back.
 */
const NOTHING_COMMITTED = /SQLITE_BUSY|database is locked|Failed to get session commit token/i

const ATTEMPTS_MAX = 10
const FIRST_PAUSE_MS = 10

/** Does the work again, with growing pauses, while another process holds the local database. */
export async function retryLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === ATTEMPTS_MAX || !NOTHING_COMMITTED.test(String(error))) throw error
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()))
    }
  }
}
