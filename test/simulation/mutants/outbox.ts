import type { TenantOutbox } from '../../../ports/outbox.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Mutant } from '../service/universe.ts'
import { replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

/** The storage with another outbox of each organization. */
function withOutbox(
  storage: PlacedStorage,
  change: (outbox: TenantOutbox) => Partial<TenantOutbox>,
): PlacedStorage {
  const open = (organizationId: string): TenantOutbox => {
    const outbox = storage.outbox.open(organizationId)
    return portWith(outbox, change(outbox))
  }
  return { ...storage, outbox: { ...storage.outbox, open } }
}

export const outboxMutants: readonly Mutant[] = [
  {
    name: 'a claim does not look at the lease',
    statement: replacing(
      'and ("lease_token" is null or "next_attempt_at" <= ?3)',
      '',
      'update "outbox" set "lease_token"',
    ),
  },
  {
    name: 'a lease ends as soon as it begins',
    storage: (storage) =>
      withOutbox(storage, (outbox) => ({
        claim: (outboxId, { token }, now) => outbox.claim(outboxId, { token, until: now }, now),
      })),
  },
  {
    name: 'the sweep forgets entries whose worker died',
    statement: replacing(
      `"p"."status" = 'pending'`,
      `"p"."status" = 'pending' and coalesce("p"."lease_token", '') = ''`,
    ),
  },
  {
    name: 'an entry leaves the outbox before its work is done',
    storage: (storage) =>
      withOutbox(storage, (outbox) => ({
        claim: async (outboxId, lease, now) => {
          const entry = await outbox.claim(outboxId, lease, now)
          if (entry !== null) await outbox.settle(outboxId, lease.token, { kind: 'done', sends: [] }, now)
          return entry
        },
      })),
  },
  {
    name: 'an attempt that was put off is given up',
    storage: (storage) =>
      withOutbox(storage, (outbox) => ({
        settle: (outboxId, token, settlement, now) =>
          outbox.settle(
            outboxId,
            token,
            settlement.kind === 'retry'
              ? { kind: 'failed', reason: settlement.reason, sends: [] }
              : settlement,
            now,
          ),
      })),
  },
  {
    name: 'a message does not wait to be within the bounds',
    storage: (storage) =>
      withOutbox(storage, (outbox) => ({
        admit: async (...message) => {
          await outbox.admit(...message)
          return { kind: 'admitted' }
        },
      })),
  },
  {
    name: 'a run begins from its first step each time',
    storage: (storage) =>
      withOutbox(storage, (outbox) => ({
        startRun: async (...run) => {
          const state = await outbox.startRun(...run)
          return state === null ? null : { ...state, nextStep: 1 }
        },
      })),
  },
]
