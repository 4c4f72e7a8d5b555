import type { Mode } from '../protocol.ts'

/**
 * The state of a family's object, and what it allows. It is stored in the object; one that stores nothing is `empty`.
 *
 * | state   | reads     | writes                                   | a move's own | leads to                              |
 * | ------- | --------- | ---------------------------------------- | ------------ | ------------------------------------- |
 * | empty   | elsewhere | elsewhere                                | elsewhere    | create: open; beginFilling: filling   |
 * | filling | elsewhere | elsewhere                                | run          | openFilled: open; empty: empty        |
 * | open    | run       | run                                      | run          | pause: paused                         |
 * | paused  | run       | paused; from `untilMs` on: run, now open | run          | resume: open; pause: paused; seal: sealed |
 * | sealed  | run *     | paused *                                 | run          | unseal: open; close: closed           |
 * | closed  | elsewhere | elsewhere                                | elsewhere    | empty: empty                          |
 *
 * * Only for callers to whom the directory has named the object since their request began; for all others: elsewhere.
 * From the seal on, the family may live in another place at any moment, and the object cannot know when. A read that was
 * confirmed began before the switch, and so before anything was acknowledged in that place. So no read misses a write
 * that was acknowledged before it, for however long the object stays sealed, and no read has to wait.
 *
 * A pause is a lease: the first write after `untilMs` ends it, so that a move that died does not block writes for long.
 * `seal` fails once anyone has ended the pause. So a move whose `seal` succeeds knows that nothing was written since
 * the pause began.
 *
 * An object without an organization can be removed in every state, in one step, which leaves it empty.
 */
export type State =
  | { readonly name: 'empty' }
  | { readonly name: 'filling'; readonly familyId: string }
  | { readonly name: 'open'; readonly familyId: string }
  | {
      readonly name: 'paused'
      readonly familyId: string
      readonly token: string
      readonly untilMs: number
    }
  | { readonly name: 'sealed'; readonly familyId: string; readonly token: string }
  | { readonly name: 'closed'; readonly familyId: string }

export const EMPTY: State = { name: 'empty' }

/** Whether a batch may run. `ends_pause`: it may, because the pause has expired, and running it ends the pause. */
export type Admission = 'runs' | 'ends_pause' | 'elsewhere' | 'paused'

/**
 * Whether a batch of this mode may run in this state.
 * @param isConfirmed whether the directory has named the object to the caller since the caller's request began
 */
export function admissionOf(state: State, mode: Mode, nowMs: number, isConfirmed: boolean): Admission {
  switch (state.name) {
    case 'empty':
    case 'closed':
      return 'elsewhere'
    case 'filling':
      return mode === 'move' ? 'runs' : 'elsewhere'
    case 'open':
      return 'runs'
    case 'paused':
      if (mode !== 'write') return 'runs'
      return nowMs < state.untilMs ? 'paused' : 'ends_pause'
    case 'sealed':
      if (mode === 'move') return 'runs'
      if (!isConfirmed) return 'elsewhere'
      return mode === 'write' ? 'paused' : 'runs'
  }
}

/** The state after writes are allowed again. An object without a family stays empty. */
export function opened(state: State): State {
  return state.name === 'empty' ? state : { name: 'open', familyId: state.familyId }
}

/**
 * The state that a method leads to, which is `state` itself when the object is there already; null: the method is not
 * allowed in this state.
 */
type Transition<Parameters extends readonly unknown[]> = (state: State, ...given: Parameters) => State | null

function beginning(name: 'open' | 'filling'): Transition<[familyId: string]> {
  return (state, familyId) => {
    if (state.name === 'empty') return { name, familyId }
    return state.name === name && state.familyId === familyId ? state : null
  }
}

/** Ends the pause that `token` made. An object that is open already stays so: somebody else has ended the pause. */
function letGo(name: 'paused' | 'sealed'): Transition<[token: string]> {
  return (state, token) => {
    if (state.name === 'open') return state
    return state.name === name && state.token === token ? opened(state) : null
  }
}

const pause: Transition<[token: string, untilMs: number]> = (state, token, untilMs) => {
  if (state.name === 'open') return { name: 'paused', familyId: state.familyId, token, untilMs }
  // A move that died may have left its pause. After it is replaced here, the old token can no longer seal.
  return state.name === 'paused' ? { ...state, token, untilMs } : null
}

const seal: Transition<[token: string]> = (state, token) => {
  if (state.name !== 'paused' && state.name !== 'sealed') return null
  return state.token === token ? { name: 'sealed', familyId: state.familyId, token } : null
}

const openFilled: Transition<[]> = (state) => {
  if (state.name === 'filling') return opened(state)
  return state.name === 'open' ? state : null
}

const close: Transition<[]> = (state) => {
  if (state.name === 'sealed') return { name: 'closed', familyId: state.familyId }
  return state.name === 'closed' ? state : null
}

const empty: Transition<[]> = ({ name }) => {
  return name === 'filling' || name === 'closed' || name === 'empty' ? EMPTY : null
}

/** The transitions of the table above, by method. */
export const transitions = {
  create: beginning('open'),
  beginFilling: beginning('filling'),
  openFilled,
  pause,
  resume: letGo('paused'),
  seal,
  unseal: letGo('sealed'),
  close,
  empty,
} as const
