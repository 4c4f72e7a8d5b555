import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/clock.ts'
import { slot, template } from '../statement/compiler.ts'
import type { RawBuilder } from '../statement/sql.ts'
import { sql } from '../statement/sql.ts'

/**
 * The caller's `now`, unless its clock runs ahead of the database's: then two seconds after the database's time, which is
 * more than two clocks that are set right differ. A clock that runs behind is believed; it puts nothing off.
 */
export const boundedNow = sql`min(${slot('now')}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds'))`

/**
 * The instant of the next write of an organization: now, or a millisecond after the last one when the clock stands
 * still or steps back. It is strictly later than everything written before, so no row can appear before a position
 * (updatedAt, id) up to which a forward sync has read already.
 * @param clockAt the column `clock_at` of the organization's row
 */
export function nextInstant(clockAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`max(${boundedNow}, strftime('%Y-%m-%dT%H:%M:%fZ', ${clockAt}, '+0.001 seconds'))`
}

/** Moves an organization's clock to the next instant. First in a batch; the writes after it read `clock_at`. */
export const advanceClock = template(sql`
  update organizations set clock_at = ${nextInstant(sql.id('clock_at'))}
  where organization_id = ${slot('organizationId')}`)

/**
 * Moves the clocks of an organization and of its parent, each by itself, for a write that changes rows of both. Both
 * rows are in one database: a parent and its children are placed together.
 */
export const advanceClocks = template(sql`
  update organizations set clock_at = ${nextInstant(sql.id('clock_at'))}
  where organization_id in (${slot('organizationId')},
    (select parent_id from organizations where organization_id = ${slot('organizationId')}))`)

/** The current instant, as stored. */
export function nowOf(clock: Clock): string {
  return toInstant(clock.nowMs())
}
