import type { FamilyDatabases } from '../../../ports/placement.ts'
import { knowsJurisdiction, createObjectCall, type ObjectExecutorOptions } from './executor.ts'
import { relayed } from '../../../ports/relayed.ts'
import { createMeter } from '../../sqlite/statement/executor.ts'
import type { FamilyObject } from '../protocol.ts'

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

/** The methods by which a family's object is created, moved and emptied. */
export type FamilyControl = Omit<FamilyObject, 'batch' | 'advance'>

/** Opens the control of an object. No I/O. Every method is safe to repeat, so each is retried as reads are. */
export function createControl({
  meter = createMeter(),
  ...options
}: Omit<ObjectExecutorOptions, 'isMove'>): FamilyControl {
  const call = createObjectCall({ ...options, meter })
  return relayed<FamilyControl>((ask) => call(ask, true))
}
