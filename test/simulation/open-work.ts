import { AUTOMATION_STEPS } from './setting.ts'
import type { StoredPlaces } from './service/stored-places.ts'
import { stuckOrganizations } from './stuck.ts'

/** The part that stays broken when all other faults have ended. */
export interface Broken {
  readonly provider: 'email' | 'sms' | null
  /** The name of a family's database. */
  readonly object: string | null
}

/** An entry of the outbox, by the id that operators see. */
interface Entry {
  readonly outboxId: string
  readonly organizationId: string
  readonly lastError: string
}

/** The remaining work, except the work that is impossible because of what is broken. */
export interface OpenWork {
  /** The waiting outbox entries and imports, in words. */
  readonly waiting: readonly string[]
  /** Moves that have not ended, or that nobody has tidied up although their family does not move again, in words. */
  readonly moves: readonly string[]
  /** The entries that have failed for good. */
  readonly failed: readonly Entry[]
}

export function openWork(stored: StoredPlaces, broken: Broken): OpenWork {
  const stuck = stuckOrganizations(stored, broken.object)
  const isDoable = (row: Readonly<Record<string, unknown>>) => !stuck.has(String(row.organization_id))
  const entries = stored
    .look(
      `select b.organization_id, b.outbox_id, b.status, b.last_error, b.kind, r.current_step,
          c.email, c.phone, c.email_consent, c.sms_consent from outbox as b
        left join automation_runs as r on r.organization_id = b.organization_id and r.run_id = b.outbox_id
        left join contacts as c on c.organization_id = r.organization_id and c.contact_id = r.contact_id`,
    )
    .filter((row) => isDoable(row) && !waitsFor(broken.provider, row))
  const sessions = stored
    .look("select organization_id, import_id from import_sessions where state = 'writing'")
    .filter(isDoable)
  const kept = stored
    .look('select organization_id, kind from retention where due_at <= simulated_now()')
    .filter(isDoable)
  const moves = stored
    .look(
      `select move_id, source, target from moves where ended_at is null
        or phase = 'aborted' and not_before is not null and not exists (
          select 1 from moves as other where other.family_id = moves.family_id and other.ended_at is null)`,
    )
    .filter((row) => !involves(broken.object, row))
  return {
    waiting: [
      ...entries.filter(({ status }) => status === 'pending').map(({ outbox_id: id }) => String(id)),
      ...sessions.map(({ import_id: id }) => String(id)),
      ...kept.map(({ organization_id: id, kind }) => `${String(kind)} of ${String(id)}`),
    ],
    moves: moves.map(({ move_id: id }) => `move ${String(id)}`),
    failed: entries
      .filter(({ status }) => status === 'failed')
      .map((row) => {
        const organizationId = String(row.organization_id)
        const isShared = stored.homeOf(organizationId) === 'shared'
        const outboxId = isShared ? String(row.outbox_id) : `${organizationId}:${String(row.outbox_id)}`
        return { outboxId, organizationId, lastError: String(row.last_error) }
      }),
  }
}

/** Whether an entry needs a provider. A run does not write to a contact who has no address or has unsubscribed. */
function waitsFor(provider: Broken['provider'], row: Readonly<Record<string, unknown>>): boolean {
  if (provider === null) return false
  const { kind, current_step: step } = row
  const isReached =
    row[provider === 'email' ? 'email' : 'phone'] !== null && row[`${provider}_consent`] !== 'unsubscribed'
  return (
    (kind === 'notification_email' && provider === 'email') ||
    (step === AUTOMATION_STEPS[provider] && isReached)
  )
}

/** Whether a move goes from or to a family's database. */
function involves(object: string | null, { source, target }: Readonly<Record<string, unknown>>): boolean {
  return [source, target].some((text) => {
    const place = JSON.parse(String(text)) as { readonly familyId?: string; readonly generation?: number }
    return `${place.familyId ?? ''}.${place.generation ?? ''}` === object
  })
}
