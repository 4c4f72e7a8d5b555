import type { Log } from '../../../ports/log.ts'

/** How often a line about requests of strangers is logged at most, in milliseconds. */
const PERIOD_MS = 60_000

/** Counts requests that nobody has signed. */
export interface Strangers {
  /** @param code what the request was refused with */
  note(code: string): void
}

/**
 * Requests that nobody has signed are counted by their refusals, and logged together in one line of level `info` a minute
 * at most: anyone on the network can send as many as they like, so lines of their own would bury what the operator must see.
 */
export function createStrangers(log: Log): Strangers {
  let counts: Readonly<Record<string, number>> = {}
  let timer: NodeJS.Timeout | null = null

  const report = (): void => {
    timer = null
    if (Object.keys(counts).length === 0) return
    log.info('unsigned_requests', counts)
    counts = {}
    timer = setTimeout(report, PERIOD_MS)
    timer.unref()
  }

  return {
    note(code) {
      counts = { ...counts, [code]: (counts[code] ?? 0) + 1 }
      if (timer === null) report()
    },
  }
}
