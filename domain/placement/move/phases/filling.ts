import type { MovePlace, MovedTable, WriteOutcome, TableChanges } from '../../../../ports/placement/move.ts'
import { parseProgress, type Progress } from '../progress.ts'

/** A target that is being filled. */
export interface Filling {
  readonly moveId: string
  readonly journalId: string
  readonly tables: readonly MovedTable[]
  readonly source: MovePlace
  readonly target: MovePlace
  readonly version: number
  readonly progress: Progress
}

/** The result of a step: the new state of the filling, or why nothing was written. */
export type Filled = { readonly kind: 'filled'; readonly filling: Filling } | { readonly kind: Unfilled }

/** `overtaken`: another mover fills the target, or filling has ended. `conflict`: rows exchange a unique value. */
type Unfilled = 'overtaken' | 'conflict'

/** The present state of a filling; null: it has not begun, or has ended. */
export async function currentFilling(of: Omit<Filling, 'version' | 'progress'>): Promise<Filling | null> {
  const state = await of.target.state(of.moveId)
  if (state === null || state.finishedBy !== null) return null
  return { ...of, version: state.version, progress: parseProgress(state.progress) }
}

/** Writes changes and the resulting progress to the target, in one step. */
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
