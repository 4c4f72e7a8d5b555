import type { ClaimedEntry, TenantOutbox } from '../../../ports/outbox-store.ts'
import type { HeldLease } from '../lease.ts'
import type { JobWorld } from '../world.ts'

/** Everything that a step of an automation may need. */
export interface RunContext {
  readonly entry: ClaimedEntry
  readonly held: HeldLease
  readonly outbox: TenantOutbox
  readonly world: JobWorld
}
