import type { Clock } from '../../../ports/platform.ts'
import type { ErasureLedger } from '../../../ports/erasure.ts'
import { toInstant } from '../../text/instant.ts'
import { ERASURES_KEPT_DAYS } from './erasure-marks.ts'

const DAY_MS = 86_400_000
/** The maximum number of marks that one sweep forgets. */
const FORGOTTEN_MAX = 500

/** Forgets who was erased so long ago that no archive of before is kept. */
export async function forgetErasures(erasures: ErasureLedger, clock: Clock): Promise<void> {
  await erasures.forget(toInstant(clock.nowMs() - ERASURES_KEPT_DAYS * DAY_MS), FORGOTTEN_MAX)
}
