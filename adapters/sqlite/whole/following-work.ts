import { sql, type Expression } from 'kysely'
import type { Database } from '../database/database.ts'
import { followsSubmission, type FollowingWord } from '../outbox/following-ids.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import type { Statement } from '../statement/executor.ts'
import { indexedBy, ofOwner } from '../statement/words.ts'
import { writtenAt } from '../write/write-clock.ts'

const organizationId = slot<string>('organizationId')

/** The tables with rows that follow submissions, and their ids. */
const followers = {
  outbox: 'outbox_id',
  automation_messages: 'message_id',
  automation_runs: 'run_id',
  sends: 'send_id',
} as const satisfies { readonly [Table in keyof Database]?: keyof Database[Table] }

/** The ids of the rows of a table that follow some submissions. */
function idsOf(table: keyof typeof followers): Expression<string> {
  const id = sql.id('t', followers[table])
  const found = (word: FollowingWord) => sql`select ${id} from json_each(${slot('submissionIds')}) as s
    cross join ${sql.table(table)} as t on t.${ofOwner}
      and ${followsSubmission(sql<string>`${id}`, word, sql<string>`s.value`)}`
  return sql`(${found('obx')} union all ${found('run')})`
}

const dropWork = template(
  db
    .deleteFrom('outbox')
    .where('organization_id', '=', organizationId)
    .where('outbox_id', 'in', idsOf('outbox')),
)
const dropTurns = template(
  db
    .deleteFrom('automation_messages')
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', idsOf('automation_messages'))
    .where('is_sent', '=', sql.lit(0)),
)
/** A closed organization has no clock. */
const changedAt = sql<string>`coalesce(${writtenAt}, ${slot('closedAt')})`
/** Left to itself, SQLite takes an index that holds the status too, and tests all runs. */
const runsById = indexedBy('automation_runs', 'runs', 'sqlite_autoindex_automation_runs_1')
const cancelRuns = template(
  db
    .updateTable(runsById)
    .set({ status: sql.lit('canceled'), completed_at: changedAt, updated_at: changedAt })
    .where('organization_id', '=', organizationId)
    .where('run_id', 'in', idsOf('automation_runs'))
    .where(({ eb, or }) => or([eb('status', '=', sql.lit('queued')), eb('status', '=', sql.lit('running'))])),
)
const eraseSends = template(
  db
    .updateTable('sends')
    .set({ recipient: sql.lit('erased'), error: sql`null`, updated_at: sql`coalesce(${writtenAt}, '')` })
    .where('organization_id', '=', organizationId)
    .where('send_id', 'in', idsOf('sends'))
    .where('recipient', '<>', sql.lit('erased')),
)

/** The statements that drop what was still to be done because of some submissions. The clock was moved before. */
export function dropFollowing(
  organizationId: string,
  submissionIds: string,
  closedAt: string | null = null,
): readonly Statement[] {
  const values = { organizationId, submissionIds, closedAt }
  return [bind(dropWork, values), bind(dropTurns, values), bind(cancelRuns, values)]
}

/** The statement that erases to whom something was sent because of some submissions. */
export function eraseSendsOf(organizationId: string, submissionIds: string): Statement {
  return bind(eraseSends, { organizationId, submissionIds })
}
