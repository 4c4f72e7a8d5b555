import type { MovePlace } from '../../ports/move.ts'
import type { MoveControl } from '../sqlite/move/index.ts'
import { createMovePlace } from '../sqlite/move/index.ts'
import type { FamilyControl } from './control.ts'
import { createControl } from './control.ts'
import type { ExecutorOptions } from './executor.ts'
import { createExecutor } from './executor.ts'

/** Rows that one step of a move reads or writes: nobody but the family waits for its object. */
const ROWS_MAX = 1_000

/** Later than anything that a pause could have to outlast. */
const WITHOUT_END_MS = 8.64e15

/** What the token of a pause is that nobody ends, because the object is to be emptied. */
const GIVEN_UP = 'given up'

/** Throws when the object is not in the state that a method leads to. */
async function mustBe(answer: Promise<boolean>, state: string): Promise<void> {
  if (!(await answer)) throw new Error(`The object of a family that moves is not ${state}`)
}

/** The states of an object, as a move changes them. */
function controlOf(control: FamilyControl, familyId: string): MoveControl {
  const sealNow = async (token: string) => {
    await control.pause(token, WITHOUT_END_MS)
    return control.seal(token)
  }
  const release = async (token: string) => {
    if (!(await control.resume(token))) await control.unseal(token)
  }
  return {
    async begin() {
      // A move that begins anew finds it as a try that failed has left it.
      if (!(await control.beginFilling(familyId))) await mustBe(control.openFilled(), 'empty')
    },
    async pause(_journalId, token, untilMs) {
      await control.pause(token, untilMs)
    },
    seal: (_journalId, token) => control.seal(token),
    resume: release,
    async prepare(token) {
      await mustBe(control.openFilled(), 'filled')
      await mustBe(sealNow(token), 'sealed')
    },
    unprepare: release,
    open: release,
    close: () => mustBe(control.close(), 'closed'),
    async empty() {
      if (await control.empty()) return true
      // It was opened for a try that failed, so that it has to be closed first.
      await sealNow(GIVEN_UP)
      await control.close()
      return control.empty()
    },
  }
}

/** The object of a family as a move sees it. No I/O. */
export function createObjectMovePlace(options: ExecutorOptions): MovePlace {
  return createMovePlace({
    executor: createExecutor({ ...options, isMove: true }),
    control: controlOf(createControl(options), options.place.familyId),
    rowsMax: ROWS_MAX,
  })
}
