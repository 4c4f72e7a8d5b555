import { toInstant } from '../text/instant.ts'
import type { Places } from './at-place.ts'

/** How long a family's own alarm has for what is due before the cron looks at it, in ms. */
export const ALARM_MS = 600_000

/** Has the cron look after work of a family, should the alarm of its database be lost. */
export function noteWorkOf(
  familyId: string,
  { memory, clock, noteWork }: Pick<Places, 'memory' | 'clock' | 'noteWork'>,
): void {
  const nowMs = clock.nowMs()
  if (memory.isToBeNoted(familyId, nowMs)) noteWork(familyId, toInstant(nowMs + ALARM_MS))
}
