import type { ClaimedEntry, Settlement } from '../../../ports/outbox.ts'
import { withOutbox } from './outbox.ts'
import { mutantsOf, replacing } from './replacing.ts'

/** The storage whose outbox claims and settles in another way. */
const working = ({
  claimed = (entry) => entry,
  settled = (settlement) => settlement,
}: {
  readonly claimed?: (entry: ClaimedEntry) => ClaimedEntry
  readonly settled?: (settlement: Settlement, now: string) => Settlement
}) =>
  withOutbox((outbox) => ({
    claim: async (...given) => {
      const entry = await outbox.claim(...given)
      return entry === null ? null : claimed(entry)
    },
    settle: (outboxId, token, settlement, now) =>
      outbox.settle(outboxId, token, settled(settlement, now), now),
  }))

/** Small mistakes in statements and decisions: a forgotten column, a condition that is missing, a lost result. */
export const detailMutants = mutantsOf({
  'an import writes rows that have not changed': {
    statement: (sql) => sql.replaceAll(/\bwhere \([^()]*\)\s+is not \([^()]*\)/g, 'where true'),
  },
  'a tag is added without a new updatedAt': {
    statement: replacing(
      `, "updated_at" = (select "clock_at" from "organizations" where "organization_id" = ?2) where`,
      ' where',
      'json_insert("tags"',
    ),
  },
  'throttling uses up an attempt': {
    storage: working({
      settled: (settlement) => (settlement.kind === 'retry' ? { ...settlement, counted: true } : settlement),
    }),
  },
  'an entry does not wait as long as the provider asked': {
    storage: working({
      settled: (settlement, now) =>
        settlement.kind === 'retry'
          ? { ...settlement, at: new Date(Date.parse(now) + 30_000).toISOString() }
          : settlement,
    }),
  },
  'what an entry sent is not recorded': {
    storage: working({
      settled: (settlement) => (settlement.kind === 'done' ? { ...settlement, sends: [] } : settlement),
    }),
  },
  'a contact who has unsubscribed is written to': {
    storage: working({
      claimed: ({ contact, ...entry }) => ({
        ...entry,
        contact: contact === null ? null : { ...contact, emailConsent: 'unknown', smsConsent: 'unknown' },
      }),
    }),
  },
  'an entry that is being worked on is retried': {
    statement: replacing(
      `("status" <> 'pending' or coalesce("lease_token", '') = '' or`,
      '(true or',
      'update "outbox"',
    ),
  },
  'a key that is revoked again is revoked since then': {
    statement: replacing('coalesce("revoked_at", ?1)', '?1', 'update "api_keys"'),
  },
  'the end of a replaced key follows its overlap, even to a later instant': {
    statement: (sql) =>
      sql.replaceAll(/"expires_at" = min\(coalesce\("expires_at", (\?\d+)\), \?\d+\)/g, '"expires_at" = $1'),
  },
  'a run is completed one step too early': {
    statement: replacing(
      `"status" = iif("current_step" >= "step_count", 'completed', "status")`,
      `"status" = iif("current_step" >= "step_count" - 1, 'completed', "status")`,
    ),
  },
  'the directory keeps the slugs that an organization no longer has': {
    storage: (storage, { places }) => {
      Object.assign(places.directory, { freeSlugs: async () => undefined })
      return storage
    },
  },
})
