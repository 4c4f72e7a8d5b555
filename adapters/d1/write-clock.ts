import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/clock.ts'
import { slot, template } from './compiler.ts'

/**
 * The instant of the next write of an organization: now, or a millisecond behind the last one when the clock stands
 * still or steps back. Strictly later than everything written before, so a forward sync that has read up to some
 * (updatedAt, id) cannot have a row slip in behind it. `clock_at` is that of the organization's row.
 */
export function nextInstant(clockAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`max(${slot('now')}, strftime('%Y-%m-%dT%H:%M:%fZ', ${clockAt}, '+0.001 seconds'))`
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
