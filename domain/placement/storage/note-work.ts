import { ALARM_MS } from '../../jobs/alarm.ts'
import { toInstant } from '../../text/instant.ts'
import type { Places } from '../find/at-place.ts'

/** Returns a function that notes work of a family for the sweep, in case the alarm of the family's database is lost. */
export function noteWorkOf(
  familyId: string,
  { memory, clock, noteWork }: Pick<Places, 'memory' | 'clock' | 'noteWork'>,
): void {
  const nowMs = clock.nowMs()
  if (memory.isToBeNoted(familyId, nowMs)) noteWork(familyId, toInstant(nowMs + ALARM_MS))
}
