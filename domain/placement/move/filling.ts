import type { MoveSource, MoveTarget, MovedTable, WriteOutcome, TableChanges } from '../../../ports/move.ts'
import type { Progress } from './progress.ts'
import { parseProgress } from './progress.ts'

/** A target while it is filled. */
export interface Filling {
  readonly moveId: string
  readonly journalId: string
  readonly tables: readonly MovedTable[]
  readonly source: MoveSource
  readonly target: MoveTarget
  readonly version: number
  readonly progress: Progress
}

/** What a step did: the filling after it; or why it could not be done, and nothing was. */
export type Filled = { readonly kind: 'filled'; readonly filling: Filling } | { readonly kind: Unfilled }

/** `overtaken`: somebody else fills, or nobody may any more. `conflict`: rows trade a unique value. */
type Unfilled = 'overtaken' | 'conflict'

/** The present state of a filling; null: it has not begun, or has ended. */
export async function currentFilling(of: Omit<Filling, 'version' | 'progress'>): Promise<Filling | null> {
  const state = await of.target.state(of.moveId)
  if (state === null || state.finishedBy !== null) return null
  return { ...of, version: state.version, progress: parseProgress(state.progress) }
}

/** Writes changes and the progress after them, in one step. */
export async function fill(
  filling: Filling,
  progress: Progress,
  changes: readonly TableChanges[],
): Promise<Filled> {
  const { target, moveId, version } = filling
  const write = (): Promise<WriteOutcome> => target.write(moveId, version, JSON.stringify(progress), changes)
  const first = await write()
  const outcome = first === 'schema_changed' ? await write() : first
  if (outcome === 'written')
    return { kind: 'filled', filling: { ...filling, version: version + 1, progress } }
  return { kind: outcome === 'conflict' ? 'conflict' : 'overtaken' }
}
