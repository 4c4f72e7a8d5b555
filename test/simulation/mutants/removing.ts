import type { WholeStore } from '../../../ports/archives.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { Mutant } from '../service/universe.ts'
import { replacing } from './replacing.ts'
import { portWith } from '../../support/runner/port-with.ts'

/** The storage with another store of each whole organization. */
function withWhole(
  storage: PlacedStorage,
  change: (whole: WholeStore) => Partial<WholeStore>,
): PlacedStorage {
  return {
    ...storage,
    whole: (organizationId) => {
      const whole = storage.whole(organizationId)
      return portWith(whole, change(whole))
    },
  }
}

/** Mistakes in removing and restoring. */
export const removingMutants: readonly Mutant[] = [
  {
    name: 'an erasure knows a person by the contact only',
    storage: (storage) =>
      withWhole(storage, (whole) => ({
        eraseSome: (person, position) => whole.eraseSome({ ...person, emailKeys: [] }, position),
      })),
  },
  {
    name: 'a deletion forgets the removals',
    statement: replacing('from "removals" where', 'from "removals" where false and', 'select exists'),
  },
  {
    name: 'a part of an archive loses its last row',
    storage: (storage) =>
      withWhole(storage, (whole) => ({
        write: (part) => whole.write({ ...part, rows: part.rows.slice(0, -1) }),
      })),
  },
  {
    name: 'retention removes what is a week younger',
    statement: replacing(
      '"submitted_at" < ?2',
      `"submitted_at" < strftime('%Y-%m-%dT%H:%M:%fZ', ?2, '+7 days')`,
      'select "submission_id" as "id"',
    ),
  },
]
