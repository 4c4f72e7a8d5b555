import type { Stored } from '../engine/database.ts'
import { FIRST_KEYS } from '../setting.ts'
import type { AskedChange, Reference } from '../reference.ts'

type Violated = (invariant: string, details: string) => void

/** The stored traces of operators' changes, each with the action that makes the change. */
const CHANGES: readonly (readonly [action: string, sql: string])[] = [
  ['key.issue', `select organization_id, key_id as id from api_keys`],
  ['key.revoke', `select organization_id, key_id as id from api_keys where revoked_at is not null`],
  ['import.open', `select organization_id, import_id as id from import_sessions`],
  ['organization.move', `select family_id as organization_id, move_id as id from moves`],
]

/** Other actions that make the same change. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  'key.issue': ['key.issue', 'key.rotate'],
  'key.revoke': ['key.revoke', 'key.rotate'],
}

/**
 * Checks that every change has a record: a change that an answer confirmed is recorded as done, and a stored change as
 * done, or as one that may have been made.
 */
export function checkAudit(stored: Stored, reference: Reference, violated: Violated): void {
  const records = stored.look('select action, organization_id, outcome from audit').map((row) => ({
    change: { action: String(row.action), organizationId: String(row.organization_id) },
    isDone: row.outcome === 'done',
    mayBeDone: row.outcome === 'done' || row.outcome === 'failed',
  }))
  const asked = Map.groupBy(reference.changes, nameOf)
  for (const [name, changes] of asked) {
    const done = records.filter(({ change, isDone }) => isDone && nameOf(change) === name)
    if (done.length < changes.length)
      violated('each change of an operator is recorded', `${name}: ${done.length} of ${changes.length}`)
  }
  for (const [action, sql] of CHANGES) {
    const byOrganization = Map.groupBy(stored.look(sql), (row) => String(row.organization_id))
    for (const [organizationId, changes] of byOrganization) {
      const alike = ALIKE[action] ?? [action]
      const recorded = records.filter(
        ({ change, mayBeDone }) =>
          mayBeDone && change.organizationId === organizationId && alike.includes(change.action),
      )
      // The first keys of each organization were made in the set-up, without an operator.
      const made = changes.length - (action === 'key.issue' ? FIRST_KEYS.length : 0)
      if (recorded.length < made)
        violated(
          'each change of an operator is recorded',
          `${action} ${organizationId}: ${recorded.length} of ${made}`,
        )
    }
  }
}

function nameOf({ action, organizationId }: AskedChange): string {
  return `${action} of ${organizationId}`
}
