import type { Administration } from '../../../ports/organizations.ts'
import type { Storage } from '../../../ports/storage.ts'
import { atKey, atPlace, type AllPlaces } from '../find/at-place.ts'
import { findOrganization } from './family-place.ts'
import { placedKeyUpkeep } from './placed-requests.ts'
import { placedWrites } from './placed-writes.ts'

/**
 * Administers organizations and keys of all places. Lists over all organizations, and counts, cover the shared database
 * only.
 */
export function placedAdministration(places: AllPlaces, { administration: shared }: Storage): Administration {
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
    revokeIssued: (organizationId, issuers, revokedAt) =>
      atPlace(organizationId, places, ({ administration }) =>
        administration.revokeIssued(organizationId, issuers, revokedAt),
      ),
    ...placedKeyUpkeep(places),
    countHashes: (secretVersion) => shared.countHashes(secretVersion),
    findHashes: (secretVersion, limit) => shared.findHashes(secretVersion, limit),
  }
}
