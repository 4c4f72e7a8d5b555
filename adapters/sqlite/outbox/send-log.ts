import { sql } from 'kysely'
import type { SendLog, SendRecord } from '../../../ports/messaging/send-log.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import type { Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { jsonChunks } from '../statement/json-chunks.ts'

/** The character after `_`, which ends the ids that begin with some text and `_`. */
const AFTER_UNDERSCORE = '`'

/** The operator's own sends belong to no organization; the table keeps them under this empty id. */
const OPERATOR = ''

/**
 * What was sent while the organization was being deleted is not recorded. A send that was accepted stays accepted: a later
 * attempt with the same id can only be a repetition.
 */
const record = template(sql`
  insert into sends (organization_id, send_id, channel, sender, recipient, provider_id, outcome, error, at)
  select ${slot('organizationId')}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
    value ->> 6, value ->> 7
  from json_each(${slot('sends')})
  where ${slot('organizationId')} = '' or exists (
    select 1 from organizations as o where o.organization_id = ${slot('organizationId')})
  on conflict (organization_id, send_id) do update set
    channel = excluded.channel, sender = excluded.sender, recipient = excluded.recipient,
    provider_id = excluded.provider_id, outcome = excluded.outcome, error = excluded.error, at = excluded.at
  where sends.outcome <> 'accepted'`)

const fields = sql`select send_id as "sendId", channel, sender as "from", recipient as "to",
  provider_id as "providerId", outcome, error, at from sends where organization_id = ${slot('organizationId')}`

const first = template(sql<SendRecord>`${fields} order by at desc, send_id desc limit +${slot('limit')}`)
const next = template(sql<SendRecord>`${fields} and (at, send_id) < (${slot('at')}, ${slot('sendId')})
  order by at desc, send_id desc limit +${slot('limit')}`)

/** The ids of what follows a submission begin with its own id, behind the word for their kind. */
const following = template(sql<SendRecord>`
  select * from (${fields} and send_id >= 'obx_' || ${slot('submissionId')} || '_'
      and send_id < 'obx_' || ${slot('submissionId')} || ${sql.lit(AFTER_UNDERSCORE)}
    union all ${fields} and send_id >= 'run_' || ${slot('submissionId')} || '_'
      and send_id < 'run_' || ${slot('submissionId')} || ${sql.lit(AFTER_UNDERSCORE)})
  order by at, "sendId" limit +${slot('limit')}`)

/** The statements that record sends, to be added to a batch. */
export function recordStatements(organizationId: string, sends: readonly SendRecord[]): readonly Statement[] {
  const rows = sends.map(({ sendId, channel, from, to, providerId, outcome, error, at }) =>
    [sendId, channel, from, to, providerId, outcome, error, at].map((value) => value?.toWellFormed() ?? null),
  )
  return jsonChunks(rows).map((chunk) => bind(record, { organizationId, sends: chunk }))
}

/** The log of sends. */
export function createSendLog(guard: Guard): SendLog {
  return {
    open: (owner) => {
      const organizationId = owner ?? OPERATOR
      const executor = guard({ organizationIds: [organizationId] })
      return {
        async record(sends) {
          if (sends.length > 0) await executor.batch(recordStatements(organizationId, sends))
        },
        list(after, limit) {
          const statement =
            after === null
              ? bind(first, { organizationId, limit })
              : bind(next, { organizationId, limit, at: after.at, sendId: after.sendId })
          return rowsOf(executor, statement)
        },
        ofSubmission: (submissionId, limit) =>
          rowsOf(executor, bind(following, { organizationId, submissionId, limit })),
      }
    },
  }
}
