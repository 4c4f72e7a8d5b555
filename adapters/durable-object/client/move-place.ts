import type { MovePlace } from '../../../ports/moves.ts'
import { createMovePlace, type MoveControl } from '../../sqlite/move/place.ts'
import { createControl, type FamilyControl } from './family-databases.ts'
import { createExecutor, type ObjectExecutorOptions } from './executor.ts'

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
