import { sql } from 'kysely'
import type { OutboxSummary, SummaryScope, SummedDelivery, SummedWebhook } from '../../../ports/outbox.ts'
import { atMost, bind, slot, template, textsOf } from '../statement/compiler.ts'
import { parsed, type JsonText } from '../statement/database.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'

type Waiting = OutboxSummary['waiting'][number]
type Stopped = OutboxSummary['stopped'][number]
type Reason = OutboxSummary['reasons'][number]

interface SummaryRow {
  readonly organizationId: string
  readonly name: string
  /** [kind, what for, webhook, count, the earliest due time] */
  readonly waiting: JsonText<
    readonly (readonly [Waiting['kind'], Waiting['for'], string | null, number, string])[]
  >
  readonly stopped: JsonText<readonly (readonly [Stopped['kind'], Stopped['status'], number])[]>
  readonly reasons: JsonText<readonly (readonly [Reason['kind'], Reason['reason'], number, string])[]>
  /** [id, URL, is on, off reason, failing since, deliveries: [status, at, duration in ms]] */
  readonly webhooks: JsonText<
    readonly (readonly [
      ...[string, string, number, SummedWebhook['offReason'], string | null],
      readonly (readonly [SummedDelivery['status'], string | null, number | null])[],
    ])[]
  >
}

const ofOrganization = sql`organization_id = o.organization_id`
const entriesMax = atMost('entriesMax')

/** What a pending entry waits for. An empty token says that nobody holds it. */
const waitsFor = sql`case
  when lease_token <> '' and next_attempt_at > ${slot('now')} then 'working'
  when waiting_since is not null then 'bound'
  when exists (select 1 from json_each(${slot('providerless')}) as p
    where substr(last_error, -length(p.value)) = p.value) then 'provider'
  when next_attempt_at <= ${slot('now')} then 'due'
  when last_error is not null then 'retry'
  else 'scheduled' end`

/** The pending entries that are due first: in the order of the index by which the sweep finds them. */
const waiting = sql`select json_group_array(json_array(kind, what_for, webhook_id, entries, since)) from (
  select kind, what_for, webhook_id, count(*) as entries, min(next_attempt_at) as since from (
    select kind, ${waitsFor} as what_for, next_attempt_at,
      iif(kind = 'webhook_delivery' and json_valid(payload), payload ->> 'webhookId', null) as webhook_id
    from outbox indexed by outbox_turns where ${ofOrganization} and status = 'pending'
    order by next_attempt_at, outbox_id limit ${entriesMax})
  group by kind, what_for, webhook_id)`

/** No index is named: a database may not have built it yet. */
const latestStopped = sql`select kind, status, last_error, updated_at from outbox
  where ${ofOrganization} and status <> 'pending' order by updated_at desc, outbox_id desc limit ${entriesMax}`
const stopped = sql`select json_group_array(json_array(kind, status, entries)) from (
  select kind, status, count(*) as entries from (${latestStopped}) group by kind, status)`
const reasons = sql`select json_group_array(json_array(kind, last_error, entries, since)) from (
  select kind, last_error, count(*) as entries, max(updated_at) as since from (${latestStopped})
  where status = 'failed' and last_error is not null group by kind, last_error
  order by since desc, kind, last_error limit ${atMost('reasonsMax')})`

const deliveries = sql`select json_group_array(json_array(status, at, duration)) from (
  select status, answers ->> '$[#-1][0]' as at, 
    iif(answers ->> '$[#-1][1]' is null, null, answers ->> '$[#-1][2]') as duration
  from webhook_deliveries as d
  where d.organization_id = w.organization_id and d.webhook_id = w.webhook_id
  order by d.at desc, d.delivery_id desc limit ${atMost('deliveriesMax')})`
const webhooks = sql`select json_group_array(json_array(webhook_id, url, is_on, off_reason, failing_since,
    json(deliveries))) from (
  select webhook_id, url, is_on, off_reason, failing_since, (${deliveries}) as deliveries from webhooks as w
  where w.organization_id = o.organization_id order by w.webhook_id)`

const summary = template(sql<SummaryRow>`
  select o.organization_id as organizationId, o.name, (${waiting}) as waiting, (${stopped}) as stopped,
    (${reasons}) as reasons, (${webhooks}) as webhooks
  from organizations as o where o.organization_id in ${textsOf(slot('organizationIds'))} order by o.organization_id`)

/** What waits and failed of organizations, in one statement; see `OutboxStore.summaries`. */
export async function summaries(
  executor: Executor,
  organizationIds: readonly string[],
  { providerless, ...scope }: SummaryScope,
): Promise<readonly OutboxSummary[]> {
  const given = {
    organizationIds: JSON.stringify(organizationIds),
    providerless: JSON.stringify(providerless),
    ...scope,
  }
  return (await rowsOf(executor, bind(summary, given))).map((row) => summaryOf(row, scope.now))
}

function summaryOf({ organizationId, name, ...row }: SummaryRow, now: string): OutboxSummary {
  const groups = parsed(row.waiting)
  const since = groups
    .map(([, , , , dueAt]) => dueAt)
    .filter((dueAt) => dueAt <= now)
    .sort()
  const counts = new Map<string, Waiting>()
  for (const [kind, what, , count] of groups) {
    const key = `${kind} ${what}`
    counts.set(key, { kind, for: what, count: (counts.get(key)?.count ?? 0) + count })
  }
  const waitingOf = (webhookId: string) =>
    groups.reduce((sum, [, , one, count]) => (one === webhookId ? sum + count : sum), 0)
  return {
    organizationId,
    name,
    waiting: [...counts.values()],
    dueSince: since[0] ?? null,
    stopped: parsed(row.stopped).map(([kind, status, count]) => ({ kind, status, count })),
    reasons: parsed(row.reasons).map(([kind, reason, count, at]) => ({ kind, reason, count, at })),
    webhooks: parsed(row.webhooks).map(([webhookId, url, isOn, offReason, failingSince, tried]) => ({
      ...{ webhookId, url, isOn: isOn === 1, offReason, failingSince },
      waiting: waitingOf(webhookId),
      deliveries: tried.map(([status, at, durationMs]) => ({ status, at, durationMs })),
    })),
  }
}
