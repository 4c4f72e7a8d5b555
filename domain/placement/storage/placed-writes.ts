import type {
  SaveOrganizationOutcome,
  Organization,
  RetentionSettings,
} from '../../../ports/organizations.ts'
import type { OperatorChanges } from '../../../ports/operators.ts'
import type { Place, PlaceChoice } from '../../../ports/placement/placement.ts'
import type { Storage } from '../../../ports/storage.ts'
import { atKey, atPlace, IN_SHARED, inPlace, SHARED, type AllPlaces } from '../find/at-place.ts'
import { ElsewhereError, MovingError } from '../find/errors.ts'
import { findOrganization, targetOf } from './family-place.ts'

/** The changes that are written in an organization's place. */
export type PlacedWrites = Pick<OperatorChanges, 'saveOrganization' | 'addKey' | 'revokeKey' | 'rotateKey'>

/** Opens the writes of one place. */
export type OpenWrites = (storage: Storage, place: Place) => PlacedWrites

/**
 * Writes organizations and keys in the right place. Names that are new in a family's database are entered in the
 * directory first.
 */
export function placedWrites(places: AllPlaces, open: OpenWrites): PlacedWrites {
  return {
    saveOrganization: (organization, replaced, choice, retention) =>
      saveOrganization({ organization, replaced, choice: choice ?? null, retention }, places, open),
    async addKey(key) {
      const { organizationId, keyId, issuedBy } = key
      if (organizationId === null) return open(places.storageAt(SHARED, true), SHARED).addKey(key)
      return atPlace(organizationId, places, async (storage, place) => {
        if (place.kind === 'own') await places.directory.reserveKey(keyId, organizationId, issuedBy)
        return open(storage, place).addKey(key)
      })
    },
    revokeKey: (keyId, revokedAt) =>
      atKey(keyId, places, (storage, place) => open(storage, place).revokeKey(keyId, revokedAt)),
    rotateKey: (rotation) =>
      atKey(rotation.keyId, places, async (storage, place) => {
        const { organizationId, keyId, issuedBy } = rotation.successor
        if (place.kind === 'own' && organizationId !== null)
          await places.directory.reserveKey(keyId, organizationId, issuedBy)
        return open(storage, place).rotateKey(rotation)
      }),
  }
}

interface Saving {
  readonly organization: Organization
  readonly replaced: Organization | null | undefined
  readonly choice: PlaceChoice | null
  readonly retention: RetentionSettings | undefined
}

/** How often a change is repeated when the family of the organization, or of its parent, was moved meanwhile. */
const MOVES_MAX = 3

async function saveOrganization(
  saving: Saving,
  places: AllPlaces,
  open: OpenWrites,
): Promise<SaveOrganizationOutcome> {
  for (let moves = 0; ; moves += 1) {
    try {
      const outcome = await saveOnce(saving, places, open)
      if (outcome !== 'elsewhere' || moves > 0) return outcome
    } catch (error) {
      if (error instanceof MovingError) return 'moving'
      if (!(error instanceof ElsewhereError) || moves === MOVES_MAX) throw error
    }
  }
}

/** Saves an organization. Rejects with an `ElsewhereError` when a family was moved since its place was looked up. */
async function saveOnce(
  { organization, replaced, choice, retention }: Saving,
  places: AllPlaces,
  open: OpenWrites,
): Promise<SaveOrganizationOutcome> {
  const target = await targetOf(organization, choice, places)
  if (typeof target === 'string') return target
  const save = (storage: Storage, at: Place) =>
    open(storage, at).saveOrganization(organization, replaced, undefined, retention)
  if (target.kind === 'shared') return inPlace(IN_SHARED, places, save)
  const { organizationId, slug } = organization
  const { directory, memory, databases } = places
  const { familyId } = target
  const place = await directory.reserve({ organizationId, familyId, choice: target.choice, slug })
  if (typeof place === 'string') return place
  // The database of a stored organization exists. It may be about to be emptied by a move, and must not be created
  // again.
  if (organizationId === familyId && replaced == null) await databases?.create(place)
  memory.remember(organizationId, place)
  const held = await directory.slugsOf(organizationId)
  const outcome = await inPlace({ place, isConfirmed: true }, places, save)
  await freeSlugs(organizationId, held, outcome, places)
  return outcome
}

/**
 * Frees the slugs that an organization held when its change began and no longer has. A slug that is reserved for a
 * later change is not among them. A change that came too late (`changed`) frees none, because the change before it
 * does.
 */
async function freeSlugs(
  organizationId: string,
  held: readonly string[],
  outcome: SaveOrganizationOutcome,
  places: AllPlaces,
): Promise<void> {
  if (outcome === 'changed' || held.length === 0) return
  const stored = await findOrganization(organizationId, places)
  const unused = held.filter((slug) => slug !== stored?.slug)
  if (unused.length > 0) await places.directory.freeSlugs(organizationId, unused)
}
