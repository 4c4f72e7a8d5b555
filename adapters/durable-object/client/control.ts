import type { FamilyDatabases, MovePlace } from '../../../ports/placement.ts'
import {
  knowsJurisdiction,
  createObjectCall,
  type ObjectExecutorOptions,
  createExecutor,
} from './executor.ts'
import { relayed } from '../../../ports/relayed.ts'
import { createMeter } from '../../sqlite/statement/executor.ts'
import type { FamilyObject } from '../protocol.ts'
import { createMovePlace, type MoveControl } from '../../sqlite/move/place.ts'

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

/**
 * How many rows one step of a move reads or writes. The limit can be high: only the family itself waits for its object.
 */
const ROWS_MAX = 1_000

/** Throws when a method reports that the object was not in the state that it needs. */
async function mustBe(answer: Promise<boolean>, state: string): Promise<void> {
  if (!(await answer)) throw new Error(`The object of a family that moves is not ${state}`)
}

/** A `MoveControl` over the methods of an object. */
function controlOf(control: FamilyControl, familyId: string): MoveControl {
  return {
    begin: () => mustBe(control.begin(familyId), 'empty'),
    async pause(_familyId, token, untilMs) {
      await control.pause(token, untilMs)
    },
    seal: (_familyId, token) => control.seal(token),
    async resume(token) {
      await control.resume(token)
    },
    finish: (token) => mustBe(control.finish(token), 'filled'),
    async reopen(token) {
      await control.reopen(token)
    },
    open: (token) => mustBe(control.open(token), 'finished'),
    close: () => mustBe(control.close(), 'sealed'),
    async empty() {
      await mustBe(control.empty(), 'closed')
      return true
    },
  }
}

/** The object of a family as a source or target of moves. No I/O. */
export function createObjectMovePlace(options: ObjectExecutorOptions): MovePlace {
  return createMovePlace({
    executor: createExecutor({ ...options, isMove: true }),
    control: controlOf(createControl(options), options.place.familyId),
    rowsMax: ROWS_MAX,
  })
}
