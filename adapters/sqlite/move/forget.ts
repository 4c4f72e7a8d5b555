import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { sql } from '../statement/sql.ts'

const forgetTarget = template(sql`delete from move_targets where move_id = ${slot('moveId')}`)
const forgetOrganizations = template(
  sql`delete from move_organizations where move_id glob ${slot('pattern')}`,
)

/** Removes what one side of a move still knows of it: the ids of its journals begin with its own. */
export async function forgetMove(executor: Executor, moveId: string): Promise<void> {
  await executor.batch([bind(forgetTarget, { moveId }), bind(forgetOrganizations, { pattern: `${moveId}*` })])
}
