import type { Settlement } from '../../ports/outbox-store.ts'
import { recordSends } from './send-log.ts'
import type { KeptOutboxEntry, MemoryState, TenantState } from './state.ts'
import { nextInstant, rowsOf } from './state.ts'

/** An entry under a lease. */
export interface Held {
  readonly outboxId: string
  readonly token: string
}

/** The entry whose lease still holds, or null. */
export function heldEntry(tenant: TenantState, { outboxId, token }: Held): KeptOutboxEntry | null {
  const entry = tenant.outbox.get(outboxId)
  return entry?.status === 'pending' && entry.leaseToken === token ? entry : null
}

/** Writes what became of an entry. Runs without a pause, so it is atomic. */
export function settle(state: MemoryState, tenant: TenantState, held: Held, settlement: Settlement): boolean {
  if (settlement.kind !== 'retry') recordSends(state, tenant.organization.organizationId, settlement.sends)
  const entry = heldEntry(tenant, held)
  if (entry === null) return false
  switch (settlement.kind) {
    case 'done':
      return tenant.outbox.delete(held.outboxId)
    case 'retry': {
      const { at: nextAttemptAt, reason: lastError, counted } = settlement
      const attempts = entry.attempts - (counted ? 0 : 1)
      tenant.outbox.set(held.outboxId, { ...entry, nextAttemptAt, lastError, attempts, leaseToken: '' })
      return true
    }
    case 'failed':
      failRun(state, tenant, held.outboxId, settlement.reason)
      tenant.outbox.set(held.outboxId, {
        ...entry,
        status: 'failed',
        leaseToken: '',
        lastError: settlement.reason,
      })
      return true
  }
}

function failRun(state: MemoryState, tenant: TenantState, runId: string, failureReason: string): void {
  const runs = rowsOf(tenant, 'automation-runs')
  const run = runs.get(runId)
  const { ms, text: updatedAt } = nextInstant(state, tenant)
  tenant.clockMs = ms
  if (run?.status === 'running') runs.set(runId, { ...run, status: 'failed', failureReason, updatedAt })
}
