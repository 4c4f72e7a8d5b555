import type { TenantOutbox } from '../../../ports/outbox.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { mutantsOf, replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

/** Storage with another outbox of each organization. */
export function withOutbox(change: (outbox: TenantOutbox) => Partial<TenantOutbox>) {
  return (storage: PlacedStorage): PlacedStorage => {
    const open = (organizationId: string): TenantOutbox => {
      const outbox = storage.outbox.open(organizationId)
      return portWith(outbox, change(outbox))
    }
    return { ...storage, outbox: { ...storage.outbox, open } }
  }
}

export const outboxMutants = mutantsOf({
  'a claim does not look at the lease': {
    statement: replacing(
      'and ("lease_token" is null or "next_attempt_at" <= ?3)',
      '',
      'update "outbox" set "lease_token"',
    ),
  },
  'a lease ends as soon as it begins': {
    storage: withOutbox((outbox) => ({
      claim: (outboxId, { token }, now) => outbox.claim(outboxId, { token, until: now }, now),
    })),
  },
  'the sweep forgets entries whose worker died': {
    statement: replacing(
      `"p"."status" = 'pending'`,
      `"p"."status" = 'pending' and coalesce("p"."lease_token", '') = ''`,
    ),
  },
  'an entry leaves the outbox before its work is done': {
    storage: withOutbox((outbox) => ({
      claim: async (outboxId, lease, now) => {
        const entry = await outbox.claim(outboxId, lease, now)
        if (entry !== null) await outbox.settle(outboxId, lease.token, { kind: 'done', sends: [] }, now)
        return entry
      },
    })),
  },
  'an attempt that was put off is given up': {
    storage: withOutbox((outbox) => ({
      settle: (outboxId, token, settlement, now) =>
        outbox.settle(
          outboxId,
          token,
          settlement.kind === 'retry' ? { kind: 'failed', reason: settlement.reason, sends: [] } : settlement,
          now,
        ),
    })),
  },
  'a message does not wait to be within the bounds': {
    storage: withOutbox((outbox) => ({
      admit: async (...message) => {
        await outbox.admit(...message)
        return { kind: 'admitted' }
      },
    })),
  },
  'a run begins from its first step each time': {
    storage: withOutbox((outbox) => ({
      startRun: async (...run) => {
        const state = await outbox.startRun(...run)
        return state === null ? null : { ...state, nextStep: 1 }
      },
    })),
  },
})
