import { setTimeout as pause } from 'node:timers/promises'
import { answers } from './readiness.ts'

const CRON_EVERY_MS = 60_000
const PROBE_EVERY_MS = 5_000

/** After so many unanswered requests in a row the service is considered hung. */
const FAILURES_MAX = 3
const RETRY_MS = 1_000

/**
 * Fires the cron trigger now and every minute until the signal: wrangler does not do it locally. In between it requests
 * a page that the Worker serves without storage or a log line, because wrangler keeps listening when its runtime has
 * died.
 */
export async function keepCronFiring(url: string, signal: AbortSignal, onHang: () => void): Promise<void> {
  const trigger = `${url}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`
  let failures = 0
  let firedAtMs = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const isDue = performance.now() - firedAtMs >= CRON_EVERY_MS
    const isAnswered = await answers(isDue ? trigger : `${url}/form-client.js`, signal)
    if (isAnswered && isDue) firedAtMs = performance.now()
    failures = isAnswered ? 0 : failures + 1
    if (failures === FAILURES_MAX) onHang()
    await pause(failures === 0 ? PROBE_EVERY_MS : RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
