import { setTimeout as pause } from 'node:timers/promises'
import { answers } from './readiness.ts'

const EVERY_MS = 60_000

/** A service that does not answer this often in a row hangs. */
const FAILURES_MAX = 3
const RETRY_MS = 2_000

/** Fires the cron trigger now and every minute until the signal: wrangler does not do it locally. */
export async function keepCronFiring(url: string, signal: AbortSignal, onHang: () => void): Promise<void> {
  const trigger = `${url}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`
  let failures = 0
  while (!signal.aborted) {
    failures = (await answers(trigger, signal)) ? 0 : failures + 1
    if (failures === FAILURES_MAX) onHang()
    await pause(failures === 0 ? EVERY_MS : RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
