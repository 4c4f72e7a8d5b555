import type { SaveOrganizationOutcome } from '../../ports/administration.ts'
import type { OperatorChanges } from '../../ports/operator-changes.ts'
import type { Organization } from '../../ports/organization.ts'
import type { OwnPlace, Place, PlaceChoice, SharedPlace } from '../../ports/placement.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Places } from './at-place.ts'
import { atKey, atPlace, lookUp, SHARED } from './at-place.ts'

/** The changes that are written in the place of an organization. */
export type PlacedWrites = Pick<OperatorChanges, 'saveOrganization' | 'addKey' | 'revokeKey' | 'rotateKey'>

/** How to write in one place. */
export type OpenWrites = (storage: Storage, place: Place) => PlacedWrites

/** Writes organizations and keys in the right place. What is new in a family's database is in the directory before. */
export function placedWrites(places: Places, open: OpenWrites): PlacedWrites {
  return {
    saveOrganization: (organization, replaced, choice) =>
      saveOrganization({ organization, replaced, choice: choice ?? null }, places, open),
    async addKey(key) {
      const { organizationId, keyId } = key
      if (organizationId === null) return open(places.storageAt(SHARED), SHARED).addKey(key)
      await atPlace(organizationId, places, async (storage, place) => {
        if (place.kind === 'own') await places.directory.reserveKey(keyId, organizationId)
        await open(storage, place).addKey(key)
      })
    },
    revokeKey: (keyId, revokedAt) =>
      atKey(keyId, places, (storage, place) => open(storage, place).revokeKey(keyId, revokedAt)),
    rotateKey: (rotation) =>
      atKey(rotation.keyId, places, async (storage, place) => {
        const { organizationId, keyId } = rotation.successor
        if (place.kind === 'own' && organizationId !== null)
          await places.directory.reserveKey(keyId, organizationId)
        return open(storage, place).rotateKey(rotation)
      }),
  }
}

interface Saving {
  readonly organization: Organization
  readonly replaced: Organization | null | undefined
  readonly choice: PlaceChoice | null
}

async function saveOrganization(
  { organization, replaced, choice }: Saving,
  places: Places,
  open: OpenWrites,
): Promise<SaveOrganizationOutcome> {
  const target = await targetOf(organization, choice, places)
  if (target === 'elsewhere' || target === 'no_places') return target
  const { organizationId, slug } = organization
  if (target.kind === 'shared') {
    return atPlace(organizationId, places, (storage, place) =>
      place.kind === 'shared'
        ? open(storage, place).saveOrganization(organization, replaced)
        : Promise.resolve('changed'),
    )
  }
  const place = await reserved(organization, target, places)
  if (place === 'slug_taken' || place === 'elsewhere') return place
  const outcome = await atPlace(organizationId, places, (storage, at) =>
    open(storage, at).saveOrganization(organization, replaced),
  )
  const kept = outcome === 'saved' ? slug : (replaced?.slug ?? null)
  await places.directory.settleSlug(organizationId, kept)
  return outcome
}

/** A family's database, which may have to be made. */
interface OwnTarget {
  readonly kind: 'own'
  readonly familyId: string
  /** Where a new one is to be made; null: it is there. */
  readonly choice: Pick<OwnPlace, 'region' | 'jurisdiction'> | null
}

/** Where an organization belongs: where it is, or where its parent is, or where its family is to be. */
async function targetOf(
  { organizationId, parentId }: Organization,
  choice: PlaceChoice | null,
  places: Places,
): Promise<SharedPlace | OwnTarget | 'elsewhere' | 'no_places'> {
  const parentPlace = parentId === null ? null : await lookUp(parentId, places)
  const present = await presentPlace(organizationId, places)
  const place = present ?? parentPlace ?? choice ?? SHARED
  if (choice !== null && !isChosen(place, choice)) return 'elsewhere'
  if (place.kind === 'shared') return parentPlace?.kind === 'own' ? 'elsewhere' : SHARED
  if (places.databases === null) return 'no_places'
  if (!isDatabase(place)) return { kind: 'own', familyId: organizationId, choice: place }
  // The root of a family has no parent, and all others have one in the family.
  const isRoot = organizationId === place.familyId
  const isKept = isRoot ? parentId === null : isOfFamily(parentPlace, place.familyId)
  return isKept ? { kind: 'own', familyId: place.familyId, choice: null } : 'elsewhere'
}

/** Where an organization is; null: there is none of that id. One that was only reserved is there. */
async function presentPlace(organizationId: string, places: Places): Promise<Place | null> {
  const place = await lookUp(organizationId, places)
  if (place.kind === 'own') return place
  const found = await places.storageAt(SHARED).administration.findOrganization(organizationId)
  return found === null ? null : place
}

function isChosen(place: Place | PlaceChoice, choice: PlaceChoice): boolean {
  if (place.kind === 'shared' || choice.kind === 'shared') return place.kind === choice.kind
  const isPlain = choice.region === null && choice.jurisdiction === null
  return isPlain || (place.region === choice.region && place.jurisdiction === choice.jurisdiction)
}

/** Whether a place is a family's database, and not only the wish for one. */
function isDatabase(place: OwnPlace | Exclude<PlaceChoice, SharedPlace>): place is OwnPlace {
  return 'familyId' in place
}

function isOfFamily(place: Place | null, familyId: string): boolean {
  return place?.kind === 'own' && place.familyId === familyId
}

/** Enters an organization in the directory, and sees to it that its family has a database. */
async function reserved(
  { organizationId, slug }: Organization,
  { familyId, choice }: OwnTarget,
  { directory, memory, databases }: Places,
): Promise<OwnPlace | 'slug_taken' | 'elsewhere'> {
  const place = await directory.reserve({ organizationId, familyId, choice, slug })
  if (typeof place === 'string') return place
  if (organizationId === familyId) await databases?.create(place)
  memory.remember(organizationId, place)
  return place
}
