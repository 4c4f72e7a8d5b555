import { toInstant } from '../text/instant.ts'
import type { Places } from './at-place.ts'

/** How long a family's own alarm has to handle due work before the sweep checks it, in ms. */
export const ALARM_MS = 600_000

/** Returns a function that notes work of a family for the sweep, in case the alarm of the family's database is lost. */
export function noteWorkOf(
  familyId: string,
  { memory, clock, noteWork }: Pick<Places, 'memory' | 'clock' | 'noteWork'>,
): void {
  const nowMs = clock.nowMs()
  if (memory.isToBeNoted(familyId, nowMs)) noteWork(familyId, toInstant(nowMs + ALARM_MS))
}
