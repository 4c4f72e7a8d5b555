import type { FamilyDatabases } from '../../../ports/placement/family-databases.ts'
import { createControl } from './control.ts'
import type { ObjectExecutorOptions } from './executor.ts'
import { knowsJurisdiction } from './place.ts'

/** The token of the pause of an object that is about to be emptied. */
const REMOVED = 'removed'
/** The latest instant that a JavaScript date can represent. */
const WITHOUT_END_MS = 8.64e15

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
      const control = createControl({ ...options, place })
      if (await control.empty()) return
      // Only a closed object can be emptied. A pause without an end lets nobody write meanwhile.
      await control.pause(REMOVED, WITHOUT_END_MS)
      await control.seal(REMOVED)
      await control.close()
      if (!(await control.empty())) throw new Error('The object of a deleted family is not empty')
    },
    sizeBytes: (place) => createControl({ ...options, place }).size(),
  }
}
