import { sql } from 'kysely'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Statement } from '../statement/executor.ts'

const owner = sql`organization_id = ${slot('organizationId')}`

/**
 * The rows of a table that follow some submissions. Their ids begin with the id of theirs, behind the word for their
 * kind, so they are found by ranges.
 */
function rowsOf(table: string, id: string) {
  const column = sql.id('t', id)
  const found = (word: string) => sql`select ${column} from json_each(${slot('submissionIds')}) as s
    cross join ${sql.id(table)} as t on t.${owner} and ${column} >= ${sql.lit(`${word}_`)} || s.value || '_'
      and ${column} < ${sql.lit(`${word}_`)} || s.value || ${sql.lit('`')}`
  return sql`${owner} and ${sql.id(id)} in (${found('obx')} union all ${found('run')})`
}

const dropWork = template(sql`delete from outbox where ${rowsOf('outbox', 'outbox_id')}`)
const dropTurns = template(sql`
  delete from automation_messages where ${rowsOf('automation_messages', 'message_id')} and not is_sent`)
const cancelRuns = template(sql`
  update automation_runs set status = 'canceled',
    completed_at = (select clock_at from organizations where ${owner}),
    updated_at = (select clock_at from organizations where ${owner})
  where ${rowsOf('automation_runs', 'run_id')} and status in ('queued', 'running')`)
const eraseSends = template(sql`
  update sends set recipient = 'erased', error = null where ${rowsOf('sends', 'send_id')} and recipient <> 'erased'`)

/** The statements that drop what was still to be done because of some submissions. The clock was moved before. */
export function dropFollowing(organizationId: string, submissionIds: string): readonly Statement[] {
  const values = { organizationId, submissionIds }
  return [bind(dropWork, values), bind(dropTurns, values), bind(cancelRuns, values)]
}

/** The statement that erases to whom something was sent because of some submissions. */
export function eraseSendsOf(organizationId: string, submissionIds: string): Statement {
  return bind(eraseSends, { organizationId, submissionIds })
}
