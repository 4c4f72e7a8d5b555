import { bind, db, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { forgetOrganizations } from './journal.ts'

const forgetTarget = template(db.deleteFrom('move_targets').where('move_id', '=', slot('moveId')))

/** Removes what one side of a move has noted. */
export async function forgetMove(executor: Executor, moveId: string): Promise<void> {
  await executor.batch([bind(forgetTarget, { moveId }), forgetOrganizations(moveId)])
}
