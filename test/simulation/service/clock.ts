import type { Clock } from '../../../ports/platform.ts'
import type { Owner } from '../engine/scheduler.ts'
import type { Universe } from './universe.ts'

/** The longest time between two corrections, in ms: usually, and when all faults have ended. */
const CORRECTION_MAX_MS = 30_000
const RARE_CORRECTION_MAX_MS = 3_600_000

/** The clock of a machine. It is slightly wrong, and sometimes corrected, which may set it back. */
export function clockOf(
  name: string,
  owner: Owner,
  { scheduler, decide, faults, mutant }: Pick<Universe, 'scheduler' | 'decide' | 'faults' | 'mutant'>,
): Clock {
  const { clockErrorMaxMs } = faults
  let errorMs = 0
  const correct = (): void => {
    errorMs = decide.below(`error of the clock of ${name}`, 2 * clockErrorMaxMs + 1) - clockErrorMaxMs
    const againMaxMs = faults.isMended() ? RARE_CORRECTION_MAX_MS : CORRECTION_MAX_MS
    const againMs = decide.delayMs(`correction of the clock of ${name}`, againMaxMs)
    if (clockErrorMaxMs > 0) scheduler.schedule(1 + againMs, correct, owner)
  }
  correct()
  return { nowMs: () => scheduler.nowMs() + errorMs + (mutant?.clockErrorMs?.(decide) ?? 0) }
}
