import type { PlaceRefusal, StoredKey, Organization } from '../../../ports/organizations.ts'
import type { PlaceChoice } from '../../../ports/placement/placement.ts'
import { toInstant } from '../../text/instant.ts'
import { lookUp, type LoggedPlaces } from '../find/at-place.ts'
import { findOrganization, targetOf } from '../storage/family-place.ts'
import { formsOfOthers, reserveForms } from '../storage/reserve-forms.ts'

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

export interface DirectoryIds {
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
