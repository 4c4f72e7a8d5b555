import { placementGuard } from '../../../adapters/sqlite/placement/guard.ts'
import type { Executor, Statement } from '../../../adapters/sqlite/index.ts'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import type { MovingPlaces } from './moving.ts'

/** Writes contacts of an organization wherever it lives, as the service would, while its family moves. */
export interface MovingWriter {
  /** The ids of contacts that were acknowledged and not deleted since. */
  readonly acknowledged: Set<string>
  /** How many contacts were inserted, including those that were deleted later. */
  inserted(): number
  /**
   * Makes one attempt to write. False: writes are paused. Throws when a place other than the family's accepts the
   * write.
   */
  write(): Promise<boolean>
  /** The executor of the place that the directory names. Throws when that place refuses the family. */
  reading(): Promise<Executor>
}

/** The organization's clock, which moves on with every write. */
const CLOCK = '(select clock_at from organizations where organization_id = ?1)'
const MOVE_CLOCK = `update organizations set clock_at = strftime('%Y-%m-%dT%H:%M:%fZ', clock_at, '+0.001 seconds')
  where organization_id = ?`

/** A place's answer to a write. */
type Answer = 'taken' | 'paused' | 'elsewhere'

/**
 * Opens a writer. Every third write deletes the contact of the write before it, and every other third one changes it.
 */
export function movingWriter(places: MovingPlaces, familyId: string, organizationId: string): MovingWriter {
  const acknowledged = new Set<string>()
  let count = 0
  let inserted = 0
  const shared = placementGuard(places.shared, places.clock)({ organizationIds: [organizationId] })
  const home = async (): Promise<Executor> => {
    const place = await places.placeOf(familyId)
    return place.kind === 'own' ? places.own(place).serving : shared
  }
  return {
    acknowledged,
    inserted: () => inserted,
    async write() {
      count += 1
      const id = `written-${count}`
      const last = `written-${count - 1}`
      const sql =
        count % 3 === 0 && acknowledged.has(last)
          ? `delete from contacts where organization_id = ?1 and contact_id = ?3 and ?2 is not null`
          : `insert into contacts (organization_id, contact_id, first_name, tags, email_consent, sms_consent, created_at,
              updated_at) values (?1, ?2, ?3, '[]', 'unknown', 'unknown', '2026', ${CLOCK})
            on conflict do update set first_name = excluded.first_name, updated_at = excluded.updated_at`
      const write = (place: Executor) =>
        answerOf(place, [
          { sql: MOVE_CLOCK, parameters: [organizationId] },
          { sql, parameters: [organizationId, id, last] },
        ])
      const atHome = await home()
      const elsewhere = [shared, ...places.ownServing()].filter((place) => place !== atHome)
      const others = await Promise.all(elsewhere.map(write))
      if (others.includes('taken')) throw new Error('A place took a write that is not the family’s')
      const answer = await write(atHome)
      if (answer === 'elsewhere') throw new Error('The family’s place refused a write')
      if (answer === 'taken') {
        if (sql.startsWith('delete')) acknowledged.delete(last)
        else {
          acknowledged.add(id)
          inserted += 1
        }
      }
      return answer === 'taken'
    },
    async reading() {
      const place = await home()
      const answer = await answerOf(place, [{ sql: 'select 1 from contacts limit 1', parameters: [] }])
      if (answer !== 'taken') throw new Error('The family’s place refused a read')
      return place
    },
  }
}

async function answerOf(place: Executor, statements: readonly Statement[]): Promise<Answer> {
  try {
    await place.batch(statements)
    return 'taken'
  } catch (error) {
    if (error instanceof PausedError) return 'paused'
    if (error instanceof ElsewhereError) return 'elsewhere'
    throw error
  }
}
