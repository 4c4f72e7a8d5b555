import { lookUp, SHARED, type AllPlaces } from '../find/at-place.ts'

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
      const left = storageAt(SHARED, true).whole(organizationId)
      while ((await left.deleteSome()) !== null);
    },
  }
}
