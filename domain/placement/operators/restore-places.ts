import type { PlaceRefusal } from '../../../ports/organizations/administration.ts'
import type { StoredKey } from '../../../ports/organizations/administration.ts'
import type { Organization } from '../../../ports/organizations/organization.ts'
import type { PlaceChoice } from '../../../ports/placement/placement.ts'
import type { LoggedPlaces } from '../find/at-place.ts'
import { lookUp } from '../find/at-place.ts'
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
  /**
   * Enters ids of forms and keys in the directory, if the organization has a database of its own. False: another
   * organization holds one of the forms.
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
    async enter(organizationId, { formIds, keys }) {
      if ((await lookUp(organizationId, places)).kind === 'shared') return true
      for (const { keyId, issuedBy } of keys) await directory.reserveKey(keyId, organizationId, issuedBy)
      if (formIds.length === 0) return true
      if (!(await reserveForms(formIds, organizationId, places))) return false
      await directory.settleForms(organizationId, formIds)
      return true
    },
  }
}
