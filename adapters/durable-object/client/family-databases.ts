import type { FamilyDatabases } from '../../../ports/placement/family-databases.ts'
import { createControl } from './control.ts'
import type { ObjectExecutorOptions } from './executor.ts'
import { knowsJurisdiction } from './place.ts'

/** The objects of families, as a whole. No I/O. */
export function createFamilyDatabases(
  options: Omit<ObjectExecutorOptions, 'place' | 'isMove'>,
): FamilyDatabases {
  return {
    knows: (jurisdiction) => knowsJurisdiction(options.namespace, jurisdiction),
    async create(place) {
      const isOpen = await createControl({ ...options, place }).create(place.familyId)
      if (!isOpen) throw new Error('The object of a new family is in use already')
    },
    async remove(place) {
      if (!(await createControl({ ...options, place }).remove()))
        throw new Error('The database of a family that is to be removed has an organization')
    },
    sizeBytes: (place) => createControl({ ...options, place }).size(),
  }
}
