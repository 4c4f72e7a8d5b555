import type { ClaimedEntry, Settlement } from '../../../ports/outbox.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Mutant } from '../service/universe.ts'
import { replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

/** The storage whose outbox claims and settles in another way. */
function working(
  storage: PlacedStorage,
  {
    claimed = (entry) => entry,
    settled = (settlement) => settlement,
  }: {
    readonly claimed?: (entry: ClaimedEntry) => ClaimedEntry
    readonly settled?: (settlement: Settlement, now: string) => Settlement
  },
): PlacedStorage {
  const open = (organizationId: string) => {
    const outbox = storage.outbox.open(organizationId)
    return portWith(outbox, {
      claim: async (...given) => {
        const entry = await outbox.claim(...given)
        return entry === null ? null : claimed(entry)
      },
      settle: (outboxId, token, settlement, now) =>
        outbox.settle(outboxId, token, settled(settlement, now), now),
    })
  }
  return { ...storage, outbox: { ...storage.outbox, open } }
}

/** Small mistakes in statements and decisions: a forgotten column, a condition that is missing, a lost result. */
export const detailMutants: readonly Mutant[] = [
  {
    name: 'an import writes rows that have not changed',
    statement: (sql) => sql.replaceAll(/\bwhere \([^()]*\)\s+is not \([^()]*\)/g, 'where true'),
  },
  {
    name: 'a tag is added without a new updatedAt',
    statement: replacing(
      `, "updated_at" = (select "clock_at" from "organizations" where "organization_id" = ?2) where`,
      ' where',
      'json_insert("tags"',
    ),
  },
  {
    name: 'throttling uses up an attempt',
    storage: (storage) =>
      working(storage, {
        settled: (settlement) =>
          settlement.kind === 'retry' ? { ...settlement, counted: true } : settlement,
      }),
  },
  {
    name: 'an entry does not wait as long as the provider asked',
    storage: (storage) =>
      working(storage, {
        settled: (settlement, now) =>
          settlement.kind === 'retry'
            ? { ...settlement, at: new Date(Date.parse(now) + 30_000).toISOString() }
            : settlement,
      }),
  },
  {
    name: 'what an entry sent is not recorded',
    storage: (storage) =>
      working(storage, {
        settled: (settlement) => (settlement.kind === 'done' ? { ...settlement, sends: [] } : settlement),
      }),
  },
  {
    name: 'a contact who has unsubscribed is written to',
    storage: (storage) =>
      working(storage, {
        claimed: ({ contact, ...entry }) => ({
          ...entry,
          contact: contact === null ? null : { ...contact, emailConsent: 'unknown', smsConsent: 'unknown' },
        }),
      }),
  },
  {
    name: 'an entry that is being worked on is retried',
    statement: replacing(
      `("status" <> 'pending' or coalesce("lease_token", '') = '' or`,
      '(true or',
      'update "outbox"',
    ),
  },
  {
    name: 'a key that is revoked again is revoked since then',
    statement: replacing('coalesce("revoked_at", ?1)', '?1', 'update "api_keys"'),
  },
  {
    name: 'the end of a replaced key follows its overlap, even to a later instant',
    statement: (sql) =>
      sql.replaceAll(/"expires_at" = min\(coalesce\("expires_at", (\?\d+)\), \?\d+\)/g, '"expires_at" = $1'),
  },
  {
    name: 'a run is completed one step too early',
    statement: replacing(
      `"status" = iif("current_step" >= "step_count", 'completed', "status")`,
      `"status" = iif("current_step" >= "step_count" - 1, 'completed', "status")`,
    ),
  },
  {
    name: 'the directory keeps the slugs that an organization no longer has',
    storage: (storage, { places }) => {
      Object.assign(places.directory, { freeSlugs: async () => undefined })
      return storage
    },
  },
]
