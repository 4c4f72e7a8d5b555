import type { PlaceRefusal, StoredKey, Organization } from '../../../ports/organizations.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { toInstant } from '../../text/instant.ts'
import { lookUp, SHARED, type LoggedPlaces, type AllPlaces } from '../find/at-place.ts'
import { findOrganization, targetOf, formsOfOthers, reserveForms } from '../storage/placed-writes.ts'

/** The place of an organization that is restored, and what it holds in the directory. */
export interface RestorePlaces {
  /**
   * Prepares the place for an organization: its present one, its parent's, or the chosen one (null: the shared
   * database). May be repeated.
   */
  prepare(
    organization: RestoredOrganization,
    choice: PlaceChoice | null,
  ): Promise<'ready' | 'slug_taken' | 'elsewhere' | 'parent_missing' | PlaceRefusal>
  /** Those of the ids of forms that other organizations hold. */
  formsOfOthers(organizationId: string, formIds: readonly string[]): Promise<readonly string[]>
  /** Reserves ids of forms for the organization. False: another one holds one of them, or imports forms. */
  reserve(organizationId: string, formIds: readonly string[]): Promise<boolean>
  /** Frees the reservations of forms that the organization has not stored. */
  free(organizationId: string, formIds: readonly string[]): Promise<void>
  /**
   * Ends the reservations of forms whose rows are stored. Where the organization has a database of its own, ids of forms
   * and keys are entered in the directory. False: another organization holds one of the forms.
   */
  enter(organizationId: string, ids: DirectoryIds): Promise<boolean>
}

/** What the place of a restored organization depends on. */
export type RestoredOrganization = Pick<Organization, 'organizationId' | 'parentId' | 'slug'>

interface DirectoryIds {
  readonly formIds: readonly string[]
  /** The keys, each with the operator key that issued it. */
  readonly keys: readonly Pick<StoredKey, 'keyId' | 'issuedBy'>[]
}

/** No I/O. */
export function createRestorePlaces(places: LoggedPlaces): RestorePlaces {
  const { directory, databases, memory } = places
  return {
    async prepare(organization, choice) {
      const { organizationId, slug } = organization
      const target = await targetOf(organization, choice, places)
      if (typeof target === 'string') return target
      if (target.kind === 'shared') return 'ready'
      const { familyId } = target
      const isStored = (await findOrganization(organizationId, places)) !== null
      const place = await directory.reserve({ organizationId, familyId, choice: target.choice, slug })
      if (typeof place === 'string') return place
      if (organizationId === familyId && !isStored) await databases?.create(place)
      memory.remember(organizationId, place)
      return 'ready'
    },
    formsOfOthers: (organizationId, formIds) => formsOfOthers(formIds, organizationId, places),
    reserve: async (organizationId, formIds) =>
      formIds.length === 0 || reserveForms(formIds, organizationId, places),
    free: (organizationId, formIds) =>
      directory.freeForms(organizationId, formIds, toInstant(places.clock.nowMs())),
    async enter(organizationId, { formIds, keys }) {
      if ((await lookUp(organizationId, places)).kind === 'shared') {
        if (formIds.length > 0 && !(await reserveForms(formIds, organizationId, places))) return false
        // From here on the rows themselves hold the ids.
        await directory.releaseForms(organizationId, formIds)
        return true
      }
      for (const { keyId, issuedBy } of keys) await directory.reserveKey(keyId, organizationId, issuedBy)
      if (formIds.length === 0) return true
      if (!(await reserveForms(formIds, organizationId, places))) return false
      await directory.settleForms(organizationId, formIds)
      return true
    },
  }
}

/** The places in which something of a deleted organization may be left. */
export interface DeletionPlaces {
  /** Whether the directory names the organization, which need not exist. */
  isPlaced(organizationId: string): Promise<boolean>
  /**
   * Removes what is left of an organization whose rows were deleted: the database of its family, if it was the root, its
   * entries in the directory, and rows that a move to another place has left. May be repeated.
   */
  release(organizationId: string): Promise<void>
}

/** No I/O. */
export function createDeletionPlaces(places: AllPlaces): DeletionPlaces {
  const { directory, databases, memory, storageAt } = places
  return {
    isPlaced: async (organizationId) => (await lookUp(organizationId, places)).kind === 'own',
    async release(organizationId) {
      const place = await lookUp(organizationId, places)
      if (place.kind === 'own' && place.familyId === organizationId) await databases?.remove(place)
      await directory.release(organizationId)
      memory.forget(organizationId)
      // As long as the directory named another place, the shared database refused every call about the organization.
      const left = storageAt(SHARED, true).organizationStore(organizationId)
      while ((await left.deleteSome()) !== null);
    },
  }
}
