import {
  PLACE_STATES,
  stateAfter,
  TOKEN_METHODS,
  type Admits,
  type PlaceMethod,
  type PlaceState,
} from '../../../domain/placement/move/place-states.ts'
import type { Mode } from '../protocol.ts'

/** What belongs to some states, beside the family. */
interface Held {
  /** The attempt of a move that made the state. */
  readonly token: string
  /**
   * Until when writes are paused, in ms. A pause is a lease: the first write after its end opens the object, so that a
   * move that died does not block writes for long. `seal` fails once anyone has ended the pause. So a move whose `seal`
   * succeeds knows that nothing was written since the pause began.
   */
  readonly untilMs: number
}

/** The state of a family's object, which is stored in the object. One that stores nothing is `empty`. */
export type State =
  | { readonly name: 'empty' }
  | {
      readonly name: Exclude<PlaceState, 'empty' | 'finished' | 'paused' | 'sealed'>
      readonly familyId: string
    }
  | ({ readonly name: 'finished' | 'sealed'; readonly familyId: string } & Pick<Held, 'token'>)
  | ({ readonly name: 'paused'; readonly familyId: string } & Held)

export const EMPTY: State = { name: 'empty' }

/** Whether a batch may run. `ends_pause`: it may, because the pause has expired, and running it ends the pause. */
export type Admission = 'runs' | 'ends_pause' | 'elsewhere' | 'paused'

/**
 * Whether a batch of this mode may run in this state.
 * @param isConfirmed whether the directory has named the object to the caller since the caller's request began
 */
export function admissionOf(state: State, mode: Mode, nowMs: number, isConfirmed: boolean): Admission {
  const { reads, writes, moves } = PLACE_STATES[state.name]
  const admits: Admits = mode === 'move' ? moves : mode === 'read' ? reads : writes
  if (admits === 'confirmed') return isConfirmed ? 'runs' : 'elsewhere'
  if (admits === 'confirmed_paused') return isConfirmed ? 'paused' : 'elsewhere'
  return admits === 'paused' && state.name === 'paused' && nowMs >= state.untilMs ? 'ends_pause' : admits
}

/** What a method is given. Which of these it needs, its signature in `FamilyObject` says. */
export interface Given {
  readonly familyId?: string
  readonly token?: string
  readonly untilMs?: number
}

/**
 * The state that a method leads to, which is `state` itself when the object is there already; null: the method is not
 * allowed in this state, or not for this family or token.
 */
export function transition(method: PlaceMethod, state: State, given: Given = {}): State | null {
  const name = stateAfter(method, state.name)
  if (name === null) return null
  if (name === 'empty') return EMPTY
  const { familyId = state.name === 'empty' ? '' : state.familyId, token = '', untilMs = 0 } = given
  if (state.name !== 'empty' && state.familyId !== familyId) return null
  if (TOKEN_METHODS.has(method) && 'token' in state && state.token !== token) return null
  // A pause or an ended filling that a dead move left behind is replaced, so that its token can no longer do anything.
  if (name === 'paused') return { name, familyId, token, untilMs }
  if (name === 'finished') return { name, familyId, token }
  if (name === state.name) return state
  return name === 'sealed' ? { name, familyId, token } : { name, familyId }
}

/** The state after a write has ended a pause that was over. */
export function opened(state: State): State {
  return state.name === 'empty' ? state : { name: 'open', familyId: state.familyId }
}
