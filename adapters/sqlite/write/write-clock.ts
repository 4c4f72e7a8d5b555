import { sql, type Expression, type RawBuilder } from 'kysely'
import { toInstant } from '../../../domain/text/instant.ts'
import type { Clock } from '../../../ports/platform.ts'
import { db, slot, template } from '../statement/compiler.ts'

/**
 * The caller's `now`, but at most two seconds after the database's own time, because clocks that are set correctly do
 * not differ by more. A caller's clock that is behind is accepted, because it does not delay anything.
 */
export const boundedNow = sql<string>`min(${slot('now')}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+2 seconds'))`

/**
 * The instant of an organization's next write: now, or a millisecond after its last write when the clock stands still
 * or steps back. It is strictly later than everything written before, so no row can appear before a position
 * (updatedAt, id) that a client which syncs has already passed.
 * @param clockAt the column `clock_at` of the organization's row
 */
export function nextInstant(clockAt: Expression<string>): Expression<string> {
  return sql`max(${boundedNow}, ${shifted(clockAt, '+0.001 seconds')})`
}

/** An instant moved by a modifier of SQLite's `strftime`: `'+10 minutes'`. */
export function shifted(instant: Expression<string>, by: string): RawBuilder<string> {
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${instant}, ${sql.lit(by)})`
}

const advance = () =>
  db.updateTable('organizations').set(({ ref }) => ({ clock_at: nextInstant(ref('clock_at')) }))

/** Moves an organization's clock to the next instant. First in a batch; the writes after it read `clock_at`. */
export const advanceClock = template(() => advance().where('organization_id', '=', slot('organizationId')))

/**
 * Moves the clocks of an organization and of its parent, each independently, for a write that changes rows of both.
 * Both organizations are always in the same database.
 */
export const advanceClocks = template(() =>
  advance().where('organization_id', 'in', [
    slot('organizationId'),
    db
      .selectFrom('organizations')
      .select('parent_id')
      .where('organization_id', '=', slot('organizationId'))
      .$asScalar(),
  ]),
)

/** The instant of the present write of an organization, whose clock was moved before: `updated_at` of what it changes. */
export const writtenAt = db
  .selectFrom('organizations')
  .select('clock_at')
  .where('organization_id', '=', slot('organizationId'))
  .$asScalar()

/** The current instant as text, in the form in which instants are stored. */
export function nowOf(clock: Clock): string {
  return toInstant(clock.nowMs())
}
