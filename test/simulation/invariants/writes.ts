import type { Stored } from '../engine/database.ts'
import { LIMIT } from '../setting.ts'

type Violated = (invariant: string, details: string) => void

/** Checks of rows, after every write. */
export function createWriteChecks(stored: Stored, violated: Violated): () => void {
  const clocks = new Map<string, string>()
  const latests = new Map<string, string>()
  return () => {
    for (const row of stored.look('select organization_id, clock_at from organizations')) {
      const [organizationId, clock] = [String(row.organization_id), String(row.clock_at)]
      const before = clocks.get(organizationId) ?? ''
      if (clock < before)
        violated('updatedAt never goes backwards', `${organizationId}: from ${before} to ${clock}`)
      clocks.set(organizationId, clock)
      const latest = latestOf(stored, organizationId, clock)
      if (clock === before && latest !== latests.get(organizationId))
        violated('updatedAt grows with every write', `${organizationId}: ${clock} again`)
      latests.set(organizationId, latest)
    }
    const ahead = stored.look(
      `select c.contact_id from contacts as c join organizations as o on o.organization_id = c.organization_id
        where c.updated_at > o.clock_at limit 1`,
    )
    if (ahead.length > 0)
      violated('updatedAt comes from the clock of the organization', String(ahead[0]?.contact_id))
    const over = stored.look(
      `select form_id, contact_id, count(*) as count from form_submissions where form_id like '%-limited'
        group by organization_id, form_id, contact_id having count(*) > ? limit 1`,
      LIMIT,
    )
    if (over.length > 0) violated('the limit is exact', JSON.stringify(over[0]))
    const alone = stored.look(
      `select submission_id from form_submissions as s where not exists (select 1 from contacts as c
        where c.organization_id = s.organization_id and c.contact_id = s.contact_id) limit 1`,
    )
    if (alone.length > 0) violated('each submission has its contact', String(alone[0]?.submission_id))
  }
}

/** The ids of the rows that the last write of an organization changed. */
function latestOf(stored: Stored, organizationId: string, clock: string): string {
  // Each database returns one row; the organization's own rows are in one of the databases.
  const rows = stored.look(
    `select (select group_concat(contact_id) from contacts where organization_id = ?1 and updated_at = ?2) as contacts,
      (select group_concat(submission_id) from form_submissions where organization_id = ?1 and updated_at = ?2) as submissions`,
    organizationId,
    clock,
  )
  return JSON.stringify(rows.filter(({ contacts, submissions }) => contacts !== null || submissions !== null))
}
