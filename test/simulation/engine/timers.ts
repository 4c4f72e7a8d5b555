import type { Scheduler } from './scheduler.ts'

/** Makes `setTimeout` of this process wait in simulated time, until `stop` restores it. */
export function followTimers({ schedule }: Scheduler): { stop(): void } {
  const platform = globalThis.setTimeout
  const simulated = (run: () => void, delayMs = 0): void => {
    schedule(delayMs, run)
  }
  globalThis.setTimeout = simulated as unknown as typeof setTimeout
  return {
    stop() {
      globalThis.setTimeout = platform
    },
  }
}
