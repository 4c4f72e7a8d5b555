import { ElsewhereError } from '../../../domain/placement/errors.ts'
import type { MovePlace } from '../../../ports/placement/move.ts'
import type { MoveControl } from '../../sqlite/move/index.ts'
import { createMovePlace } from '../../sqlite/move/index.ts'
import type { Executor, Statement } from '../../sqlite/statement/executor.ts'
import type { FamilyControl } from './control.ts'
import { createControl } from './control.ts'
import type { ObjectExecutorOptions } from './executor.ts'
import { createExecutor } from './executor.ts'

/**
 * How many rows one step of a move reads or writes. The limit can be high: only the family itself waits for its object.
 */
const ROWS_MAX = 1_000

/** The latest instant that a JavaScript date can represent, for a pause without an end. */
const WITHOUT_END_MS = 8.64e15

/** The token of a pause that is never ended, because the object is about to be emptied. */
const GIVEN_UP = 'given up'

/** Throws when a method reports that the object did not reach the wanted state. */
async function mustBe(answer: Promise<boolean>, state: string): Promise<void> {
  if (!(await answer)) throw new Error(`The object of a family that moves is not ${state}`)
}

const anything: Statement = { sql: 'select 1', parameters: [] }

/**
 * Whether a sealed object refuses callers who only remember it, as the switch relies on. During a deployment, an object
 * may still run a version that answers them.
 */
async function refusesRemembered(served: Executor): Promise<boolean> {
  try {
    await served.batch([anything])
    return false
  } catch (error) {
    if (error instanceof ElsewhereError) return true
    throw error
  }
}

/** A `MoveControl` over the methods of an object. */
function controlOf(control: FamilyControl, familyId: string, served: Executor): MoveControl {
  const sealNow = async (token: string) => {
    await control.pause(token, WITHOUT_END_MS)
    return control.seal(token)
  }
  const release = async (token: string) => {
    if (!(await control.resume(token))) await control.unseal(token)
  }
  return {
    async begin() {
      // An earlier try of the move may have left the object open; then it can be filled again.
      if (!(await control.beginFilling(familyId))) await mustBe(control.openFilled(), 'empty')
    },
    async pause(_journalId, token, untilMs) {
      await control.pause(token, untilMs)
    },
    seal: async (_journalId, token) => (await control.seal(token)) && refusesRemembered(served),
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
      // An earlier try of the move has opened the object, so it must be closed before it can be emptied.
      await sealNow(GIVEN_UP)
      await control.close()
      return control.empty()
    },
  }
}

/** The object of a family as a source or target of moves. No I/O. */
export function createObjectMovePlace(options: ObjectExecutorOptions): MovePlace {
  return createMovePlace({
    executor: createExecutor({ ...options, isMove: true }),
    control: controlOf(createControl(options), options.place.familyId, createExecutor(options)),
    rowsMax: ROWS_MAX,
  })
}
