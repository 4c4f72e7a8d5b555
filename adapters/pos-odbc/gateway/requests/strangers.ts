import type { Log } from '../../../../ports/platform.ts'

/** The minimum time between two log lines about unsigned requests, in milliseconds. */
const PERIOD_MS = 60_000

/** Counts unsigned requests. */
export interface Strangers {
  /** @param code what the request was refused with */
  note(code: string): void
}

/**
 * Counts unsigned requests by the reason of their refusal, and logs them together, at most one line of level `info` a
 * minute. Anyone on the network can send as many as they like, so a line for each would bury what the operator must
 * see.
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
