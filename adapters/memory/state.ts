import type { StoredKey } from '../../ports/administration.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Organization } from '../../ports/organization.ts'
import type { SendRecord } from '../../ports/send-log.ts'
import type { OutboxEntry } from '../../ports/tenant-writer.ts'
import { toInstant } from '../../domain/text/instant.ts'

/** A row as it is kept: JSON fields serialised, so that no caller shares an object with the store. */
export type KeptRow = Readonly<Record<string, string | number | boolean | null>>

/** An outbox entry and what has become of it. */
export interface KeptOutboxEntry extends OutboxEntry {
  readonly submissionId: string
  readonly status: 'pending' | 'failed'
  readonly attempts: number
  /** While a lease holds, its end. */
  readonly nextAttemptAt: string
  /** Null: never claimed. Empty: nobody holds it. */
  readonly leaseToken: string | null
  readonly lastError: string | null
  readonly createdAt: string
}

/** Everything that one organization owns. */
export interface TenantState {
  organization: Organization
  /** The latest `updatedAt` given out, in ms; every write takes a later one. */
  clockMs: number
  readonly collections: Map<string, Map<string, KeptRow>>
  readonly outbox: Map<string, KeptOutboxEntry>
}

/** What the storage cost so far. */
export interface MemoryMeter {
  /** Port calls that would be a round trip to a remote store. */
  calls: number
}

export interface MemoryState {
  readonly clock: Clock
  readonly meter: MemoryMeter
  readonly keys: Map<string, StoredKey>
  readonly tenants: Map<string, TenantState>
  /** By organization, then by send id. */
  readonly sends: Map<string, Map<string, SendRecord>>
}

/** The state of an organization that must exist. Throws when it does not. */
export function tenantState(state: MemoryState, organizationId: string): TenantState {
  const tenant = state.tenants.get(organizationId)
  if (tenant === undefined) throw new Error(`There is no organization ${organizationId}`)
  return tenant
}

/** The rows of a collection, by id. */
export function rowsOf(tenant: TenantState, collection: string): Map<string, KeptRow> {
  const rows = tenant.collections.get(collection) ?? new Map<string, KeptRow>()
  tenant.collections.set(collection, rows)
  return rows
}

/** The instant of the next write: now, or a millisecond behind the last when the clock stands still or steps back. */
export function nextInstant(
  state: MemoryState,
  tenant: TenantState,
): { readonly ms: number; readonly text: string } {
  const ms = Math.max(state.clock.nowMs(), tenant.clockMs + 1)
  return { ms, text: toInstant(ms) }
}
