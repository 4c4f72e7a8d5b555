import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { KeyClaim, KeyedRead } from '../../../ports/organizations.ts'
import type { ReadQuery } from '../../../ports/records.ts'
import { mutantsOf, replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

type Read = (queries: readonly ReadQuery[]) => Promise<KeyedRead>

/** The storage with another way to read for a key. */
function reading(storage: PlacedStorage, change: (claim: KeyClaim, read: Read) => Read): PlacedStorage {
  const open = (claim: KeyClaim) => {
    const reader = storage.keyed.open(claim)
    return { read: change(claim, (queries) => reader.read(queries)) }
  }
  return { ...storage, keyed: { ...storage.keyed, open } }
}

/** A query whose position skips all rows with the same time as the last one that was read. */
function pastTies(query: ReadQuery): ReadQuery {
  if (query.kind !== 'page' || query.after === null) return query
  return { ...query, after: { ...query.after, id: '\u{10ffff}' } }
}

export const readingMutants = mutantsOf({
  'a key that was proven once is not looked up again': {
    storage: (storage, { memory }) =>
      reading(storage, ({ keyId }, read) => async (queries) => {
        const found = await read(queries)
        const name = `${keyId} ${queries.length}`
        const known = memory.get(name) as KeyedRead | undefined
        if (found.authenticated) memory.set(name, found)
        return found.authenticated ? found : (known ?? found)
      }),
  },
  'now and then a page is empty that has rows': {
    storage: (storage, { memory }) =>
      reading(storage, (_, read) => async (queries) => {
        const found = await read(queries)
        const reads = Number(memory.get('reads') ?? 0) + 1
        memory.set('reads', reads)
        if (!found.authenticated || reads % 10 !== 0) return found
        return { ...found, results: found.results.map(() => ({ kind: 'lines', text: '', stoppedAt: null })) }
      }),
  },
  'the root secret is exchanged before every process knows the new one': { rotatesAtOnce: true },
  'a page begins after all rows that tie with the last one': {
    storage: (storage) => reading(storage, (_, read) => (queries) => read(queries.map(pastTies))),
  },
  'the ids of all forms are looked for in the shared database, whoever lives there': {
    storage: (storage, { places }) => ({
      ...storage,
      tenant: (organizationId) => {
        const tenant = storage.tenant(organizationId)
        const shared = places.storageAt({ kind: 'shared' }, true).tenant(organizationId)
        const foreignIds: typeof tenant.foreignIds = (collection, ids) =>
          (collection === 'forms' ? shared : tenant).foreignIds(collection, ids)
        return portWith(tenant, { foreignIds })
      },
    }),
  },
  'a page may have rows of every organization': {
    statement: replacing('where "t"."organization_id" = ?1 and', 'where', 'indexed by "contacts_updated_at"'),
  },
  'the clock of an organization follows the clock of the process back': {
    statement: replacing(`strftime('%Y-%m-%dT%H:%M:%fZ', "clock_at", '+0.001 seconds')`, `''`),
    clockErrorMs: (decide) => -decide.below('step back of a clock', 500),
  },
  'two writes within a millisecond get the same updatedAt': {
    statement: replacing(`'+0.001 seconds'`, `'+0 seconds'`),
  },
})
