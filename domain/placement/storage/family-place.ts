import type { PlaceRefusal, Organization } from '../../../ports/organizations.ts'
import type { FamilyDatabases } from '../../../ports/placement/family-databases.ts'
import type { OwnPlace, Place, PlaceChoice, SharedPlace } from '../../../ports/placement/placement.ts'
import { atPlace, lookUp, SHARED, type AllPlaces } from '../find/at-place.ts'
import { unlessElsewhere } from '../find/errors.ts'

/** A family's database, which may have to be created first. */
export interface OwnTarget {
  readonly kind: 'own'
  readonly familyId: string
  /** Where to create the database; null: it exists. */
  readonly choice: Pick<OwnPlace, 'region' | 'jurisdiction'> | null
}

/** Where an organization belongs: its present place, or that of its parent, or the place chosen for its family. */
export async function targetOf(
  { organizationId, parentId }: Pick<Organization, 'organizationId' | 'parentId'>,
  choice: PlaceChoice | null,
  places: AllPlaces,
): Promise<SharedPlace | OwnTarget | 'elsewhere' | PlaceRefusal | 'parent_missing'> {
  const parentPlace = parentId === null ? null : await storedPlace(parentId, places)
  const place = (await presentPlace(organizationId, places)) ?? parentPlace ?? choice ?? SHARED
  if (choice !== null && !isChosen(place, choice)) return 'elsewhere'
  const isParentMissing = parentId !== null && parentPlace === null
  if (place.kind === 'shared') {
    if (parentPlace?.kind === 'own') return 'elsewhere'
    // The shared database itself checks whether it has the parent. Only a parent that is reserved for another place
    // must be refused here.
    const isReserved = isParentMissing && (await lookUp(parentId, places)).kind === 'own'
    return isReserved ? 'parent_missing' : SHARED
  }
  const refusal = refusalOf(place, places.databases)
  if (refusal !== null) return refusal
  if (isParentMissing) return 'parent_missing'
  if (!isDatabase(place)) return { kind: 'own', familyId: organizationId, choice: place }
  const isKept =
    parentId === null ? organizationId === place.familyId : isOfFamily(parentPlace, place.familyId)
  return isKept ? { kind: 'own', familyId: place.familyId, choice: null } : 'elsewhere'
}

/** Why the platform cannot provide a database of its own; null: it can. */
export function refusalOf(
  { jurisdiction }: Pick<OwnPlace, 'jurisdiction'>,
  databases: Pick<FamilyDatabases, 'knows'> | null,
): PlaceRefusal | null {
  if (databases === null) return 'no_places'
  return jurisdiction === null || databases.knows(jurisdiction) ? null : 'no_jurisdiction'
}

/**
 * The organization as it is stored; null: there is none. That includes an organization that was only reserved, in a
 * database that was never created: whoever creates it uses the reservation.
 */
export function findOrganization(organizationId: string, places: AllPlaces): Promise<Organization | null> {
  return unlessElsewhere(() =>
    atPlace(organizationId, places, ({ administration }) => administration.findOrganization(organizationId)),
  )
}

/** Where an organization is stored; null: nowhere. */
async function storedPlace(organizationId: string, places: AllPlaces): Promise<Place | null> {
  const found = await findOrganization(organizationId, places)
  return found === null ? null : (places.memory.get(organizationId) ?? SHARED)
}

/** Where an organization is, or is reserved to be; null: there is no organization with that id. */
async function presentPlace(organizationId: string, places: AllPlaces): Promise<Place | null> {
  const place = await lookUp(organizationId, places)
  if (place.kind === 'own') return place
  const found = await findOrganization(organizationId, places)
  return found === null ? null : (places.memory.get(organizationId) ?? SHARED)
}

function isChosen(place: Place | PlaceChoice, choice: PlaceChoice): boolean {
  if (place.kind === 'shared' || choice.kind === 'shared') return place.kind === choice.kind
  const isPlain = choice.region === null && choice.jurisdiction === null
  return isPlain || (place.region === choice.region && place.jurisdiction === choice.jurisdiction)
}

/** Whether a place is a family's existing database, as opposed to the choice of one. */
function isDatabase(place: OwnPlace | Exclude<PlaceChoice, SharedPlace>): place is OwnPlace {
  return 'familyId' in place
}

function isOfFamily(place: Place | null, familyId: string): boolean {
  return place?.kind === 'own' && place.familyId === familyId
}
