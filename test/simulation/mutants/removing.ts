import type { OrganizationStore } from '../../../ports/organization-store.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { mutantsOf, replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

/** The storage with another store of each organization. */
function withStore(
  storage: PlacedStorage,
  change: (store: OrganizationStore) => Partial<OrganizationStore>,
): PlacedStorage {
  return {
    ...storage,
    organizationStore: (organizationId) => {
      const store = storage.organizationStore(organizationId)
      return portWith(store, change(store))
    },
  }
}

/** Mistakes in removing and restoring. */
export const removingMutants = mutantsOf({
  'an erasure knows a person by the contact only': {
    storage: (storage) =>
      withStore(storage, (store) => ({
        eraseSome: (person, position) => store.eraseSome({ ...person, emailKeys: [] }, position),
      })),
  },
  'a deletion forgets the removals': {
    statement: replacing('from "removals" where', 'from "removals" where false and', 'select exists'),
  },
  'a part of an archive loses its last row': {
    storage: (storage) =>
      withStore(storage, (store) => ({
        write: (part) => store.write({ ...part, rows: part.rows.slice(0, -1) }),
      })),
  },
  'retention removes what is a week younger': {
    statement: replacing(
      '"submitted_at" < ?2',
      `"submitted_at" < strftime('%Y-%m-%dT%H:%M:%fZ', ?2, '+7 days')`,
      'select "submission_id" as "id"',
    ),
  },
})
