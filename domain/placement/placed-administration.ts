import type { Administration } from '../../ports/administration.ts'
import type { Storage } from '../../ports/storage.ts'
import type { PlacedWork, Places } from './at-place.ts'
import { atKey, atPlace } from './at-place.ts'
import { findOrganization } from './family-place.ts'
import { placedWrites } from './placed-writes.ts'

/** Organizations and keys of all places. Lists over all organizations, and counts, are those of the shared place alone. */
export function placedAdministration(places: Places, { administration: shared }: Storage): Administration {
  /** A request has just found the key with its owner, so nothing has to look for it. */
  const ofOwner = (owner: string | null | undefined, keyId: string, work: PlacedWork<void>) =>
    owner == null ? atKey(keyId, places, work) : atPlace(owner, places, work)
  return {
    ...placedWrites(places, ({ administration }) => administration),
    findOrganization: (organizationId) => findOrganization(organizationId, places),
    listOrganizations: (afterId, limit) => shared.listOrganizations(afterId, limit),
    findKey: (keyId) => atKey(keyId, places, ({ administration }) => administration.findKey(keyId)),
    listKeys: (organizationId, after, limit) =>
      organizationId === null
        ? shared.listKeys(null, after, limit)
        : atPlace(organizationId, places, ({ administration }) =>
            administration.listKeys(organizationId, after, limit),
          ),
    noteKeyUse: (keyId, hour, organizationId) =>
      ofOwner(organizationId, keyId, ({ administration }) => administration.noteKeyUse(keyId, hour)),
    rehashKey: (keyId, hash, secretVersion, organizationId) =>
      ofOwner(organizationId, keyId, ({ administration }) =>
        administration.rehashKey(keyId, hash, secretVersion),
      ),
    countHashes: (secretVersion) => shared.countHashes(secretVersion),
    findHashes: (secretVersion, limit) => shared.findHashes(secretVersion, limit),
  }
}
