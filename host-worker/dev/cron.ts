import { setTimeout as pause } from 'node:timers/promises'
import { answers } from './readiness.ts'

/** How often the cron is fired and the service is looked at, in ms. */
export interface Pace {
  readonly cronEveryMs: number
  readonly probeEveryMs: number
  /** The pause after what was not answered. */
  readonly retryMs: number
  /**
   * How long a probe waits for its answer. A busy machine may take many seconds for it: a large import beside other
   * programs has, and a restart would break requests that were about to be answered.
   */
  readonly probeTimeoutMs: number
}

const PACE: Pace = { cronEveryMs: 60_000, probeEveryMs: 5_000, retryMs: 1_000, probeTimeoutMs: 20_000 }

/** The platform ends a cron's work after this time, so that no answer comes later, in ms. */
const CRON_MAX_MS = 15 * 60_000

/** After so many unanswered probes in a row the service is considered hung. */
const FAILURES_MAX = 3

/**
 * Fires the cron trigger now and every minute until the signal: wrangler does not do it locally. The trigger answers when
 * the work is done, which may take longer than a minute; it is not fired again before. Meanwhile this requests a page that
 * the Worker serves without storage or a log line, because wrangler keeps listening, and never answers again, when its
 * proxy has died. (It starts a Worker's runtime that has died again by itself.)
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
