import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Admission, AutomationMessage } from '../../../ports/messaging/outbox-store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { boundedNow } from '../write/write-clock.ts'
import type { HeldEntry } from './settle.ts'
import { heldRow } from './settle.ts'

const organization = slot('organizationId')
/** Later than every instant that is stored. */
const NEVER = sql`'9999-12-31T23:59:59.999Z'`

/** Messages of callers whose clocks are ahead of this one's were sent before this instant. */
const soon = sql`strftime('%Y-%m-%dT%H:%M:%fZ', now.at, '+10 minutes')`

/**
 * The first instant, from now on, at which a message is within a bound: when so many of the others have left the window
 * that fewer than `most` are in it. A message that asks for the first time comes after all that were sent and all that
 * wait. When its time has come, it comes after those that were sent, and those that have waited for longer and whose
 * time has come as well. It never has to wait longer than it was told.
 * @param ownAt the instant that the message was told before; null: none
 * @param counted the SQL condition for the messages that count
 * @param window the length of the window, as a modifier of SQLite's `strftime`
 */
function earliest(
  ownAt: Expression<unknown>,
  counted: Expression<unknown>,
  most: Expression<unknown>,
  window: Expression<unknown>,
): Expression<unknown> {
  return sql`select min(
    max(now.at, coalesce((select strftime('%Y-%m-%dT%H:%M:%fZ', m.at, ${window}) from automation_messages as m
      where m.organization_id = ${organization} and ${counted} and m.message_id <> ${slot('messageId')}
        and m.at <= iif(${ownAt} <= now.at, ${soon}, ${NEVER})
        and (m.is_sent or ${ownAt} is null or ${ownAt} > now.at or m.at <= now.at
          and (m.waits_until, m.message_id) < (own.waits_until, ${slot('messageId')}))
      order by m.at desc limit 1 offset +${most} - 1), now.at)),
    iif(${ownAt} > now.at, ${ownAt}, ${NEVER})) as first from now left join own`
}

const forRecipient = earliest(
  sql`own.at`,
  sql`m.recipient = ${slot('recipient')}`,
  slot('recipientMax'),
  sql`'+24 hours'`,
)
const forOrganization = earliest(
  sql`iif(own.is_counted, own.at, null)`,
  sql`m.is_counted = 1`,
  slot('organizationMax'),
  sql`'+1 hour'`,
)

/** Gives the message its instant, unless that is later than it may wait for. */
const place = template(sql<{ readonly at: string; readonly isCounted: number; readonly isSent: number }>`
  insert into automation_messages (organization_id, message_id, recipient, at, waits_until, is_sent, is_counted)
  with now (at) as materialized (select ${boundedNow}),
    own as materialized (select at, waits_until, is_counted from automation_messages
      where organization_id = ${organization} and message_id = ${slot('messageId')}),
    for_recipient as materialized (${forRecipient}),
    placed (at, is_counted) as materialized (
      select iif(r.first > now.at, r.first, (${forOrganization})), r.first <= now.at from now, for_recipient as r)
  select ${organization}, ${slot('messageId')}, ${slot('recipient')}, placed.at, ${slot('waitsUntil')},
    placed.at <= now.at, is_counted
  from placed, now where placed.at <= ${slot('waitsUntil')} and exists (select 1 from outbox where ${heldRow})
  on conflict (organization_id, message_id) do update set
    at = excluded.at, waits_until = excluded.waits_until, is_sent = excluded.is_sent, is_counted = excluded.is_counted
  returning at, is_counted as "isCounted", is_sent as "isSent"`)

/** The maximum number of messages that are forgotten with each one. More than one, so that none are left over. */
const FORGOTTEN_MAX = 20

/** Forgets messages that no window contains any more. */
const forget = template(sql`
  delete from automation_messages where organization_id = ${organization} and message_id in (
    select message_id from automation_messages where organization_id = ${organization} and is_counted in (0, 1)
      and at <= strftime('%Y-%m-%dT%H:%M:%fZ', ${boundedNow}, '-24 hours') limit +${slot('forgottenMax')})`)

const renew = template(sql`update outbox set next_attempt_at = ${slot('until')} where ${heldRow}`)

/** Asks to send a message of an automation, as `TenantOutbox.admit` says, in one batch. */
export async function admit(
  executor: Executor,
  held: HeldEntry,
  { leaseUntil, ...message }: AutomationMessage,
  now: string,
): Promise<Admission> {
  const values = { ...held, ...message, now, until: leaseUntil, forgottenMax: FORGOTTEN_MAX }
  const [placed] = await resultsOf(executor, [bind(place, values), bind(forget, values), bind(renew, values)])
  const row = placed.rows[0]
  if (row === undefined) return { kind: 'over', bound: null, until: null }
  if (row.isSent === 1) return { kind: 'admitted' }
  return { kind: 'over', bound: row.isCounted === 1 ? 'organization' : 'recipient', until: row.at }
}
