import type { MovePhase } from '../../../ports/placement.ts'

/**
 * The words of a move, once for all who take part in it: the states of a place, what each state allows, and the methods
 * that lead from one to another. A family's own object is in one of these states and decides by these tables. The shared
 * database decides by its directory and its pauses of writes, with the same results.
 */

/**
 * What a place does with a batch. `runs`: it runs. `paused`: it waits until writes are allowed again. `elsewhere`: the
 * family is not here, so the directory is to be asked. `confirmed`: it runs for callers to whom the directory has named
 * the place since their request began; all others are sent to the directory. `confirmed_paused`: in the same way, it
 * waits for the first, and is elsewhere for the others.
 */
export type Admits = 'runs' | 'paused' | 'elsewhere' | 'confirmed' | 'confirmed_paused'

/** What a state allows. */
interface StateRule {
  /** Batches of requests that only read. */
  readonly reads: Admits
  /** Batches of requests that may write. */
  readonly writes: Admits
  /** Batches of a move itself. */
  readonly moves: 'runs' | 'elsewhere'
}

/**
 * The states of a place, from the view of one family, in the order in which a family arrives and leaves again.
 *
 * From `sealed` on, the family may live in another place at any moment, and the place cannot know when. A read that was
 * confirmed began before the switch, and so before anything was acknowledged in that other place. So no read misses a
 * write that was acknowledged before it, for however long the place stays sealed, and no read has to wait. The target is
 * `finished` meanwhile: the directory confirms it from the switch on.
 */
export const PLACE_STATES = {
  empty: { reads: 'elsewhere', writes: 'elsewhere', moves: 'elsewhere' },
  filling: { reads: 'elsewhere', writes: 'elsewhere', moves: 'runs' },
  finished: { reads: 'confirmed', writes: 'confirmed_paused', moves: 'runs' },
  open: { reads: 'runs', writes: 'runs', moves: 'runs' },
  paused: { reads: 'runs', writes: 'paused', moves: 'runs' },
  sealed: { reads: 'confirmed', writes: 'confirmed_paused', moves: 'runs' },
  closed: { reads: 'elsewhere', writes: 'elsewhere', moves: 'runs' },
} as const satisfies Readonly<Record<string, StateRule>>

export type PlaceState = keyof typeof PLACE_STATES

/**
 * The methods that change the state of a place, as ports, adapters and objects call them, and the state to which each
 * leads from each state in which it is allowed. Every method may be repeated.
 */
export const PLACE_METHODS = {
  create: { empty: 'open', open: 'open' },
  begin: { empty: 'filling', filling: 'filling' },
  finish: { filling: 'finished', finished: 'finished' },
  reopen: { finished: 'filling', filling: 'filling' },
  open: { finished: 'open', open: 'open' },
  pause: { open: 'paused', paused: 'paused' },
  resume: { paused: 'open', sealed: 'open', open: 'open' },
  seal: { paused: 'sealed', sealed: 'sealed' },
  close: { sealed: 'closed', closed: 'closed' },
  empty: { filling: 'empty', finished: 'empty', closed: 'empty', empty: 'empty' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<PlaceState, PlaceState>>>>>

export type PlaceMethod = keyof typeof PLACE_METHODS

/**
 * The methods that are allowed only for the token of the attempt to switch that the state keeps, which `pause` or
 * `finish` was given.
 */
export const TOKEN_METHODS: ReadonlySet<PlaceMethod> = new Set(['reopen', 'open', 'resume', 'seal'])

/** The state to which a method leads; null: it is not allowed in this state. */
export function stateAfter(method: PlaceMethod, state: PlaceState): PlaceState | null {
  const leads: Readonly<Partial<Record<PlaceState, PlaceState>>> = PLACE_METHODS[method]
  return leads[state] ?? null
}

/** The phases that may follow each phase of a move. */
export const NEXT_PHASES: Readonly<Record<MovePhase, readonly MovePhase[]>> = {
  copying: ['switching', 'aborting'],
  switching: ['switched', 'copying'],
  switched: ['comparing'],
  comparing: ['done'],
  aborting: ['aborted'],
  done: [],
  aborted: [],
}

/** One step of a move. */
interface MoveStep {
  /** The phase that the ledger has after the step. */
  readonly phase: MovePhase
  /** The method that is called, and where. */
  readonly does: string
  /** The states in which the step leaves both places. */
  readonly source: PlaceState
  readonly target: PlaceState
}

/** The steps of a move that nothing disturbs, in their order. */
export const MOVE_STEPS: readonly MoveStep[] = [
  { phase: 'copying', does: '`open` in the ledger', source: 'open', target: 'empty' },
  { phase: 'copying', does: '`begin` at the target', source: 'open', target: 'filling' },
  { phase: 'copying', does: '`write` at the target: rounds', source: 'open', target: 'filling' },
  { phase: 'switching', does: '`turn` in the ledger: an attempt', source: 'open', target: 'filling' },
  { phase: 'switching', does: '`pause` at the source', source: 'paused', target: 'filling' },
  { phase: 'switching', does: '`write` at the target: the last round', source: 'paused', target: 'filling' },
  { phase: 'switching', does: '`finish` at the target', source: 'paused', target: 'finished' },
  { phase: 'switching', does: '`seal` at the source', source: 'sealed', target: 'finished' },
  { phase: 'switched', does: '`switch` in the directory', source: 'sealed', target: 'finished' },
  { phase: 'switched', does: '`open` at the target', source: 'sealed', target: 'open' },
  { phase: 'switched', does: '`close` at the source', source: 'closed', target: 'open' },
  { phase: 'comparing', does: '`turn` in the ledger', source: 'closed', target: 'open' },
  { phase: 'done', does: '`turn` in the ledger', source: 'closed', target: 'open' },
  { phase: 'done', does: '`empty` at the source, a day later', source: 'empty', target: 'open' },
]
