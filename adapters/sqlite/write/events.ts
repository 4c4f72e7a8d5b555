import { sql, type Expression, type SqlBool } from 'kysely'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Statement } from '../statement/executor.ts'

const organizationId = slot<string>('organizationId')
const clockAt = sql`(select clock_at from organizations where organization_id = ${organizationId})`

/** Rows of the collection `contacts` that the present batch has changed. */
const isChanged = sql<SqlBool>`exists (select 1 from contacts as c where c.organization_id = ${organizationId}
  and c.contact_id = g.value and c.updated_at = ${clockAt})`

/**
 * Tells the webhooks that ask for it of an event of some rows. Each gets an entry of the outbox, whose id has the instant
 * to which the batch moved the organization's clock: no other batch has that, so a batch has one such statement at most.
 * An organization without webhooks pays no row for it.
 */
const telling = (condition: Expression<SqlBool>) =>
  template(sql`
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  select organization_id, 'whd_' || replace(replace(replace(at, '-', ''), ':', ''), '.', '') || '_'
      || substr(webhook_id, 4) || '_' || number, '', 'webhook_delivery', json_object('webhookId', webhook_id,
      'event', ${slot('event')}, 'subjectId', id, 'at', due_at), due_at, due_at, due_at
  from (select w.organization_id, w.webhook_id, g.key as number, g.value as id, ${clockAt} as at,
      min(${slot('now')}, ${clockAt}) as due_at
    from webhooks as w cross join json_each(${slot('ids')}) as g
    where w.organization_id = ${organizationId} and w.is_on = 1
      and exists (select 1 from json_each(w.events) as e where e.value = ${slot('event')}) and ${condition})
  where at is not null`)

const tellOfAll = telling(sql`true`)
const tellOfChanged = telling(isChanged)

/** What is told of, and when by the clock of the service. */
interface Telling {
  readonly event: string
  /** The ids of the rows, as a JSON array. */
  readonly ids: string
  readonly now: string
}

/**
 * The statement that tells webhooks of rows. It stands in the batch that changes them, whose clock was moved before.
 */
export function eventStatement(organizationId: string, of: Telling): Statement {
  return bind(tellOfAll, { organizationId, ...of })
}

/** As `eventStatement`, of those contacts that a statement before it has changed. */
export function changedContactsStatement(organizationId: string, of: Telling): Statement {
  return bind(tellOfChanged, { organizationId, ...of })
}
