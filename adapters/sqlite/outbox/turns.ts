import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { OutboxRef } from '../../../ports/messaging/outbox-store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { JsonText } from '../database/json-text.ts'
import { parsed } from '../database/json-text.ts'

/** Pending entries in the order (organization, due time, id). */
const pending = sql`outbox as p indexed by outbox_turns where p.status = 'pending'`

/** The first organization with a pending entry that satisfies the condition; null: there is none. */
function firstOrganization(condition: Expression<unknown>): Expression<unknown> {
  return sql`(select p.organization_id from ${pending} and ${condition} order by p.organization_id limit 1)`
}

/** The ids of an organization's entries that have been due longest, as a JSON array. */
function longestDue(organizationId: Expression<unknown>, count: Expression<unknown>): Expression<unknown> {
  return sql`(select json_group_array(outbox_id) from (select p.outbox_id from ${pending}
    and p.organization_id = ${organizationId} and p.next_attempt_at <= ${slot('now')}
    order by p.next_attempt_at, p.outbox_id limit +${count}))`
}

/** An organization, and the ids of its entries that have been due longest. */
interface QueueRow {
  readonly organizationId: string
  readonly outboxIds: JsonText<readonly string[]>
}

/**
 * The organizations with pending entries. A recursive query steps through the index from one organization to the next;
 * its last row is null.
 */
const walked = sql`walked (organization_id) as (
    select ${firstOrganization(sql`true`)}
    union all
    select ${firstOrganization(sql`p.organization_id > walked.organization_id`)}
    from walked where walked.organization_id is not null
  )`

/** Divides the limit among the organizations with pending entries. */
const dueOfAll = template(sql<QueueRow & { readonly share: number }>`
  with recursive ${walked},
  fair (share) as materialized (
    select cast(ceil(${slot('limit')} * 1.0 / max(1, count(organization_id))) as integer) from walked)
  select organization_id as "organizationId", (select share from fair) as share,
    ${longestDue(sql`walked.organization_id`, sql`(select share from fair)`)} as "outboxIds"
  from walked where organization_id is not null`)

const dueOfThese = template(sql<QueueRow>`
  select value as "organizationId", ${longestDue(sql`value`, slot('share'))} as "outboxIds"
  from json_each(${slot('organizations')})`)

const earliest = template(sql<{ readonly dueAt: string | null }>`
  with recursive ${walked}
  select min((select p.next_attempt_at from ${pending} and p.organization_id = walked.organization_id
    order by p.next_attempt_at limit 1)) as "dueAt" from walked`)

/**
 * Reads when the first pending entry is due: one row with that instant, or with null when none is pending. It reads two
 * rows for each organization with pending entries, however many entries each has.
 */
export const earliestDue = bind(earliest, {})

/** The due entries of each organization, longest due first: all of them, or its share. */
type Queues = ReadonlyMap<string, readonly string[]>

/**
 * The entries that are due at `now`, at most `limit`, with the organizations taking turns. No more entries of an
 * organization are read than its share, so many entries of one organization do not slow down the rest. Unused shares go
 * to the organizations with more entries.
 */
export async function dueInTurns(
  executor: Executor,
  now: string,
  limit: number,
): Promise<readonly OutboxRef[]> {
  const rows = await rowsOf(executor, bind(dueOfAll, { now, limit }))
  let share = rows[0]?.share ?? 0
  const queues = new Map(queuesOf(rows))
  for (;;) {
    const rest = limit - total(queues)
    const waiting = [...queues].filter(([, ids]) => ids.length >= share).map(([id]) => id)
    if (rest <= 0 || waiting.length === 0) return inTurns(queues, firstPlace(now, queues.size), limit)
    share += Math.ceil(rest / waiting.length)
    const more = await readQueues(executor, waiting, share, now)
    for (const [organizationId, ids] of more) queues.set(organizationId, ids)
  }
}

async function readQueues(
  executor: Executor,
  organizationIds: readonly string[],
  share: number,
  now: string,
): Promise<Queues> {
  const organizations = JSON.stringify(organizationIds)
  return queuesOf(await rowsOf(executor, bind(dueOfThese, { organizations, share, now })))
}

function queuesOf(rows: readonly QueueRow[]): Queues {
  const queues = rows.map(({ organizationId, outboxIds }): [string, readonly string[]] => [
    organizationId,
    parsed(outboxIds),
  ])
  return new Map(queues.filter(([, ids]) => ids.length > 0))
}

function total(queues: Queues): number {
  return [...queues.values()].reduce((sum, ids) => sum + ids.length, 0)
}

/** A prime number, so that sweeps at any regular interval begin with different organizations. */
const PLACES_A_MINUTE = 7919

/** The index of the organization that has the first turn. It changes every minute. */
function firstPlace(now: string, count: number): number {
  const minute = Math.floor(Date.parse(now) / 60_000)
  return count === 0 ? 0 : (minute * PLACES_A_MINUTE) % count
}

/**
 * The entries in turns: one of each organization, beginning with the organization at index `first`, then a second one
 * of each, and so on.
 */
function inTurns(queues: Queues, first: number, limit: number): readonly OutboxRef[] {
  const ordered = [...queues]
  const placed = [...ordered.slice(first), ...ordered.slice(0, first)]
  const turns = Math.max(0, ...placed.map(([, ids]) => ids.length))
  const refs = Array.from({ length: turns }, (_, turn) =>
    placed.flatMap(([organizationId, ids]) => {
      const outboxId = ids[turn]
      return outboxId === undefined ? [] : [{ organizationId, outboxId }]
    }),
  )
  return refs.flat().slice(0, limit)
}
