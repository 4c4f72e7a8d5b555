import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type {
  DeliveryAttempt,
  TenantWebhooks,
  Webhook,
  WebhookAnswer,
  WebhookChange,
  WebhookDelivery,
  WebhookSettings,
} from '../../../ports/outbox.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import {
  atMost,
  bind,
  db,
  eb,
  one,
  slot,
  template,
  textsOf,
  type Template,
  boundedNow,
  exists,
} from '../statement/compiler.ts'
import { parsed, type StoredAnswer } from '../statement/database.ts'
import { resultsOf, rowsOf, type BoundValue, type Executor, type Statement } from '../statement/executor.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { LATEST, paged } from '../statement/list.ts'
import { aliasesFor, tableOf } from '../tables.ts'
import { templateCache } from '../../sql/statement.ts'

const organizationId = slot<string>('organizationId')
const ofWebhook = sql<SqlBool>`organization_id = ${organizationId} and webhook_id = ${slot('webhookId')}`

const all = db
  .selectFrom('webhooks')
  .select(aliasesFor(['webhookId', 'url', 'events', 'formIds', 'description', 'isOn', 'offReason']))
  .select(aliasesFor(['failingSince', 'secret', 'previousSecret', 'previousUntil', 'createdAt', 'version']))
  .where('organization_id', '=', organizationId)
const list = template(
  all.where('webhook_id', '>', slot<string>('afterId')).orderBy('webhook_id').limit(atMost('limit')),
)
const find = template(all.where('webhook_id', '=', slot<string>('webhookId')))

type WebhookRow = NonNullable<typeof find.rowType>

function webhookOf({ events, formIds, isOn, ...row }: WebhookRow): Webhook {
  return {
    ...row,
    events: parsed(events),
    formIds: formIds === null ? null : parsed(formIds),
    isOn: isOn === 1,
  }
}

const create = template(
  insertWhen(
    'webhooks',
    slotsOf([
      ...(['organizationId', 'webhookId', 'url', 'events', 'formIds', 'description'] as const),
      ...(['isOn', 'secret', 'createdAt'] as const),
    ]),
    sql<SqlBool>`exists (select 1 from organizations where organization_id = ${organizationId})
      and (select count(*) from webhooks where organization_id = ${organizationId}) < ${slot('countMax')}`,
  ).returning(one),
)

/** The webhook is there, and of the version that is expected, if one is. */
const isExpected = sql<SqlBool>`${ofWebhook}
  and (${slot<number | null>('version')} is null or version = ${slot('version')})`

/** A value that replaces a column if it is given. */
const given = (column: string, name: string) =>
  sql`${sql.id(column)} = iif(${slot(`has_${name}`)}, ${slot(name)}, ${sql.id(column)})`

/** What failed says nothing about another address, nor about what somebody has switched on again. */
const beginsAnew = sql`(${slot('has_isOn')} and ${slot('isOn')}) or (${slot('has_url')} and ${slot('url')} <> url)`
const update = template(sql<{ readonly one: number }>`
  update webhooks set ${given('url', 'url')}, ${given('events', 'events')}, ${given('form_ids', 'formIds')},
    ${given('description', 'description')}, ${given('is_on', 'isOn')},
    off_reason = iif(${slot('has_isOn')}, null, off_reason),
    failing_since = iif(${beginsAnew}, null, failing_since), version = version + 1
  where ${isExpected} returning 1 as one`)

const rotate = template(sql<{ readonly one: number }>`
  update webhooks set previous_until = iif(secret is null, null, ${slot('previousUntil')}), previous_secret = secret,
    secret = ${slot('secret')}, version = version + 1
  where ${isExpected} returning 1 as one`)

const remove = template(
  sql<{ readonly one: number }>`delete from webhooks where ${ofWebhook} returning 1 as one`,
)

/** Looking at every entry of an organization is cheap, because the table holds only open ones. */
const removeWork = template(
  db
    .deleteFrom('outbox')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', sql.lit('webhook_delivery'))
    .where(({ ref }) => sql<SqlBool>`${ref('payload')} ->> 'webhookId' = ${slot('webhookId')}`)
    .where(eb.not(exists(db.selectFrom('webhooks').where(ofWebhook)))),
)

/** A secret is replaced where it stands: a rotation may have moved it. */
const replaceSecret = template(sql`
  update webhooks set secret = iif(secret = ${slot('from')}, ${slot('to')}, secret),
    previous_secret = iif(previous_secret = ${slot('from')}, ${slot('to')}, previous_secret)
  where ${ofWebhook} and ${slot('from')} in (secret, previous_secret)`)

const switchOff = template(sql<{ readonly one: number }>`
  update webhooks set is_on = 0, off_reason = ${slot('reason')}, version = version + 1
  where ${ofWebhook} and is_on = 1 returning 1 as one`)

const deliveries = db
  .selectFrom('webhook_deliveries')
  .select(
    aliasesFor(['deliveryId', 'webhookId', 'event', 'subjectId', 'at', 'status', 'attempts', 'answers']),
  )
  .where('organization_id', '=', organizationId)
const ofOne = deliveries.where('webhook_id', '=', slot<string>('webhookId'))
const undelivered = ofOne.where('status', '<>', sql.lit('delivered'))
const listDeliveries = paged(ofOne, ['at', 'delivery_id'], 'desc')
const listUndelivered = paged(undelivered, ['at', 'delivery_id'], 'desc')
const findDelivery = template(deliveries.where('delivery_id', '=', slot<string>('deliveryId')))

type DeliveryRow = NonNullable<typeof findDelivery.rowType>

function deliveryOf({ answers, ...row }: DeliveryRow): WebhookDelivery {
  return {
    ...row,
    answers: parsed(answers).map(([at, status, durationMs, text, reason]): WebhookAnswer => ({
      at,
      status,
      durationMs,
      text,
      reason,
    })),
  }
}

/** An entry of the outbox that is due now, with all attempts before it. One that is worked on stays as it is. */
const putting = (source: Expression<unknown>) =>
  template(sql<{ readonly id: string }>`
  insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at, updated_at)
  select e.organization_id, e.id, '', 'webhook_delivery', json_object('webhookId', e.webhook_id, 'event', e.event,
    'subjectId', e.subject_id, 'at', e.at), ${boundedNow}, ${boundedNow}, ${boundedNow}
  from ${source} as e where exists (select 1 from webhooks as w
    where w.organization_id = e.organization_id and w.webhook_id = e.webhook_id)
  on conflict (organization_id, outbox_id) do update set status = 'pending', attempts = 0, lease_token = null,
    next_attempt_at = excluded.next_attempt_at, updated_at = excluded.updated_at
    where outbox.status <> 'pending' or coalesce(outbox.lease_token, '') = '' or outbox.next_attempt_at <= ${boundedNow}
  returning outbox_id as id`)

const announce = putting(sql`(select ${organizationId} as organization_id, ${slot('deliveryId')} as id,
  ${slot('webhookId')} as webhook_id, ${slot('event')} as event, ${slot('subjectId')} as subject_id, ${slot('at')} as at)`)
const resend =
  putting(sql`(select d.organization_id, d.delivery_id as id, d.webhook_id, d.event, d.subject_id, d.at
  from webhook_deliveries as d where d.organization_id = ${organizationId} and d.delivery_id in ${textsOf(slot('ids'))})`)

/** The webhooks of one organization of a database. No I/O. */
export function createTenantWebhooks(executor: Executor, organizationId: string): TenantWebhooks {
  /** Runs a change, and says what came of it. */
  const changed = async (
    change: Template<{ readonly one: number }>,
    values: Readonly<Record<string, BoundValue>> & { readonly webhookId: string },
  ): Promise<WebhookChange> => {
    const [written, found] = await resultsOf(executor, [
      bind(change, { organizationId, ...values }),
      bind(find, { organizationId, webhookId: values.webhookId }),
    ])
    if (written.rows.length > 0) return 'done'
    return found.rows.length > 0 ? 'changed' : 'missing'
  }
  return {
    async list(afterId, limit) {
      return (await rowsOf(executor, bind(list, { organizationId, afterId: afterId ?? '', limit }))).map(
        webhookOf,
      )
    },
    async find(webhookId) {
      const [row] = await rowsOf(executor, bind(find, { organizationId, webhookId }))
      return row === undefined ? null : webhookOf(row)
    },
    async create({ webhookId, secret, createdAt, ...settings }, countMax) {
      const values = { organizationId, webhookId, secret, createdAt, countMax, ...columnsOf(settings) }
      return (await rowsOf(executor, bind(create, values))).length > 0
    },
    update(webhookId, settings, version) {
      const names = ['url', 'events', 'formIds', 'description', 'isOn'] as const
      const has = names.map((name) => [`has_${name}`, Number(settings[name] !== undefined)] as const)
      return changed(update, { webhookId, version, ...Object.fromEntries(has), ...columnsOf(settings) })
    },
    rotate: (webhookId, secret, previousUntil, version) =>
      changed(rotate, { webhookId, secret, previousUntil, version }),
    async remove(webhookId) {
      const values = { organizationId, webhookId }
      const [removed] = await resultsOf(executor, [bind(remove, values), bind(removeWork, values)])
      return removed.rows.length > 0
    },
    async replaceSecret(webhookId, from, to) {
      await executor.batch([bind(replaceSecret, { organizationId, webhookId, from, to })])
    },
    async switchOff(webhookId, reason) {
      return (await rowsOf(executor, bind(switchOff, { organizationId, webhookId, reason }))).length > 0
    },
    async deliveries(webhookId, isUndelivered, after, limit) {
      const values = { organizationId, webhookId, ...(after ?? LATEST), limit }
      const page = bind(isUndelivered ? listUndelivered : listDeliveries, values)
      return (await rowsOf(executor, page)).map(deliveryOf)
    },
    async findDelivery(deliveryId) {
      const [row] = await rowsOf(executor, bind(findDelivery, { organizationId, deliveryId }))
      return row === undefined ? null : deliveryOf(row)
    },
    async announce(event, now) {
      return (await rowsOf(executor, bind(announce, { organizationId, ...event, now }))).length > 0
    },
    async resend(deliveryIds, now) {
      const values = { organizationId, ids: JSON.stringify(deliveryIds), now }
      return (await rowsOf(executor, bind(resend, values))).map(({ id }) => id)
    },
  }
}

/** The values of settings for their columns; null where one is left out. */
function columnsOf({ url, events, formIds, description, isOn }: Partial<WebhookSettings>) {
  return {
    url: url ?? null,
    events: events === undefined ? null : JSON.stringify(events),
    formIds: formIds == null ? null : JSON.stringify(formIds),
    description: description ?? null,
    isOn: isOn === undefined ? null : Number(isOn),
  }
}

/** For how long an answer is kept, and how many of one delivery. */
const KEPT_MS = 30 * 86_400_000
const ANSWERS_MAX = 20

/**
 * The record of an attempt, with its answer behind those before it. A webhook that is gone has no record.
 * @param mayBeKept whether the answer may be kept with its text
 */
const recording = (isHeld: Expression<SqlBool>, mayBeKept: RawBuilder<SqlBool>) => {
  const answers = sql`iif(${mayBeKept}, ${slot('answers')}, ${slot('answersWithoutText')})`
  const joined = sql`iif(excluded.answers = '[]', webhook_deliveries.answers,
    json_insert(webhook_deliveries.answers, '$[#]', json(excluded.answers -> 0)))`
  return template(sql`
  insert into webhook_deliveries (organization_id, delivery_id, webhook_id, event, subject_id, at, status, attempts,
    answers, changed_at, expires_at)
  select w.organization_id, ${slot('deliveryId')}, w.webhook_id, ${slot('event')}, ${slot('subjectId')}, ${slot('at')},
    ${slot('status')}, json_array_length(${slot('answers')}), ${answers}, ${slot('now')}, ${slot('expiresAt')}
  from webhooks as w where w.organization_id = ${organizationId} and w.webhook_id = ${slot('webhookId')}
  on conflict (organization_id, delivery_id) do update set
    status = iif(${isHeld}, excluded.status, status), attempts = attempts + excluded.attempts,
    changed_at = excluded.changed_at, expires_at = excluded.expires_at,
    answers = (select json_group_array(json(kept.value)) from (select j.value from json_each(${joined}) as j
      where j.value ->> 0 >= ${slot('keptSince')} and j.key >= json_array_length(${joined}) - ${sql.lit(ANSWERS_MAX)}
      order by j.key) as kept)`)
}
const recordings = templateCache<Template>()

/** Whether the row that was told is as it was: what is erased meanwhile is not repeated. */
function isAsTold(collection: string): RawBuilder<SqlBool> {
  const { name, idColumn } = tableOf(collection)
  return sql<SqlBool>`exists (select 1 from ${sql.id(name)} as t where t.organization_id = ${organizationId}
    and ${sql.id('t', idColumn)} = ${slot('subjectId')} and t.updated_at = ${slot('toldAt')})`
}

const succeeded = template(
  sql`update webhooks set failing_since = null where ${ofWebhook} and failing_since is not null`,
)
const failed = template(
  sql`update webhooks set failing_since = ${slot('since')} where ${ofWebhook} and failing_since is null`,
)

/**
 * The statements that record an attempt to deliver an entry, for the batch that settles the entry.
 * @param isHeld whether the entry is still held: else another worker has said what became of it
 */
export function attemptStatements(
  held: Readonly<Record<string, string>>,
  { answer, told, ...event }: DeliveryAttempt,
  isHeld: Expression<SqlBool>,
  now: string,
): readonly Statement[] {
  const record = recordings(told?.collection ?? '', () =>
    recording(isHeld, told === undefined ? sql<SqlBool>`true` : isAsTold(told.collection)),
  )
  const nowMs = Date.parse(now)
  const answers: readonly StoredAnswer[] =
    answer === null
      ? []
      : [[answer.at, answer.status, answer.durationMs, answer.text.toWellFormed(), answer.reason]]
  const withoutText = answers.map(([at, status, durationMs, , reason]) => [
    at,
    status,
    durationMs,
    '',
    reason,
  ])
  const kept = { answers: JSON.stringify(answers), answersWithoutText: JSON.stringify(withoutText) }
  const values = { ...held, ...event, ...kept, toldAt: told?.updatedAt ?? null, now }
  const ends = { expiresAt: toInstant(nowMs + KEPT_MS), keptSince: toInstant(nowMs - KEPT_MS) }
  const webhook = { organizationId: held.organizationId ?? '', webhookId: event.webhookId }
  const state =
    event.status === 'delivered'
      ? [bind(succeeded, webhook)]
      : answer === null
        ? []
        : [bind(failed, { ...webhook, since: answer.at })]
  return [bind(record, { ...values, ...ends }), ...state]
}

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
