import { setTimeout as pause } from 'node:timers/promises'
import { answers } from './readiness.ts'

/** How often the cron trigger is fired and the service is probed, in ms. */
export interface Pace {
  readonly cronEveryMs: number
  readonly probeEveryMs: number
  /** The pause after a request without a response. */
  readonly retryMs: number
  /**
   * How long a probe waits for its response. On a busy machine that may take many seconds, for example during a large
   * import, and a restart would break requests that are about to be answered.
   */
  readonly probeTimeoutMs: number
}

const PACE: Pace = { cronEveryMs: 60_000, probeEveryMs: 5_000, retryMs: 1_000, probeTimeoutMs: 20_000 }

/** After this time the platform ends the work of a cron trigger, so a response can no longer arrive, in ms. */
const CRON_MAX_MS = 15 * 60_000

/** After this many failed probes in a row, the service is considered hung. */
const FAILURES_MAX = 3

/**
 * Fires the cron trigger now and every minute until the signal, because wrangler does not do that locally. The trigger
 * responds when its work is done, which may take longer than a minute; it is not fired again before. In between, this
 * probes a page that the Worker serves without storage and without a log line: when wrangler's proxy has died, wrangler
 * keeps listening but never responds again. (When the Worker's runtime has died, wrangler restarts it by itself.)
 */
export async function keepCronFiring(
  url: string,
  signal: AbortSignal,
  onHang: () => void,
  pace: Pace = PACE,
): Promise<void> {
  const trigger = `${url}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`
  const cron = { isRunning: false, dueAtMs: Number.NEGATIVE_INFINITY }
  const fire = async (): Promise<void> => {
    cron.isRunning = true
    cron.dueAtMs = performance.now() + pace.cronEveryMs
    if (!(await answers(trigger, signal, CRON_MAX_MS))) cron.dueAtMs = performance.now() + pace.retryMs
    cron.isRunning = false
  }
  let failures = 0
  while (!signal.aborted) {
    if (!cron.isRunning && performance.now() >= cron.dueAtMs) void fire()
    failures = (await answers(`${url}/form-client.js`, signal, pace.probeTimeoutMs)) ? 0 : failures + 1
    if (failures === FAILURES_MAX) onHang()
    const pauseMs = failures === 0 ? pace.probeEveryMs : pace.retryMs
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
