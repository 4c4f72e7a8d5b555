import type { ClaimedEntry, OutboxRef, Settlement, TenantOutbox } from '../../ports/outbox-store.ts'
import { drawFrom, pauseAfter } from '../bounds/backoff.ts'
import { within } from '../bounds/within.ts'
import { AUTOMATION_RUN, NOTIFICATION_EMAIL } from '../forms/submit/outbox.ts'
import { relayed } from '../relay/relayed.ts'
import { toInstant } from '../text/instant.ts'
import { BACKOFF } from './backoff.ts'
import { newLease, type HeldLease } from './lease.ts'
import { notify } from './notify.ts'
import { runAutomation } from './automation/run-automation.ts'
import { hopeless, type Verdict } from './verdict.ts'
import type { JobWorld } from './world.ts'

/** Longest wait for one storage call, in ms. */
const STORAGE_TIMEOUT_MS = 10_000

/** The outcome for an entry. `idle`: there was nothing to do. `lost`: another worker took the entry over. */
export type Delivery = Settlement['kind'] | 'idle' | 'lost'

/** Does the work of one kind of entry once. May reject, which counts as a failed attempt. */
type Work = (entry: ClaimedEntry, held: HeldLease, outbox: TenantOutbox, world: JobWorld) => Promise<Verdict>

const works: Readonly<Record<string, Work>> = {
  [NOTIFICATION_EMAIL]: notify,
  [AUTOMATION_RUN]: runAutomation,
}

/**
 * Processes one outbox entry: claims it, does its work and writes the outcome. Safe to call for any entry at any time
 * and any number of times: only one caller at a time gets the entry, and a caller that died blocks it only until its
 * lease ends. Rejects when storage fails; the sweep then finds the entry again.
 */
export async function deliver({ organizationId, outboxId }: OutboxRef, world: JobWorld): Promise<Delivery> {
  const outbox = boundOutbox(world.outbox.open(organizationId), world)
  const nowMs = world.clock.nowMs()
  const lease = newLease(nowMs, world.random)
  const entry = await outbox.claim(outboxId, lease, toInstant(nowMs))
  if (entry === null) return 'idle'
  const verdict = await attempt(entry, lease, outbox, world)
  if (verdict.kind === 'lost') return 'lost'
  const settlement = settlementOf(verdict, entry.attempts, world)
  const isHeld = await outbox.settle(outboxId, lease.token, settlement, toInstant(world.clock.nowMs()))
  const { kind, attempts } = entry
  const reason = settlement.kind === 'done' ? null : settlement.reason
  world.log.info('outbox_settled', { outboxId, kind, attempts, outcome: settlement.kind, reason, isHeld })
  return isHeld ? settlement.kind : 'lost'
}

/** An outbox whose calls time out, so that a storage call that hangs does not block everything else. */
function boundOutbox(outbox: TenantOutbox, { deadline }: JobWorld): TenantOutbox {
  return relayed<TenantOutbox>((ask) => within(deadline, STORAGE_TIMEOUT_MS, ask(outbox)))
}

async function attempt(
  entry: ClaimedEntry,
  held: HeldLease,
  outbox: TenantOutbox,
  world: JobWorld,
): Promise<Verdict> {
  const work = works[entry.kind]
  if (work === undefined) return hopeless(`There is no work of kind ${entry.kind}.`)
  try {
    return await work(entry, held, outbox, world)
  } catch (cause) {
    world.log.error('outbox_attempt_broke', { outboxId: entry.outboxId, kind: entry.kind }, cause)
    return { kind: 'unavailable', reason: 'Internal failure.', counted: true, retryAfterMs: 0, send: null }
  }
}

function settlementOf(
  verdict: Exclude<Verdict, { kind: 'lost' }>,
  attempts: number,
  { clock, random }: JobWorld,
): Settlement {
  if (verdict.kind === 'waiting') {
    const { until: at, reason, since: waitingSince } = verdict
    return { kind: 'retry', at, reason, counted: false, waitingSince }
  }
  if (verdict.kind !== 'unavailable') return verdict
  const { reason, counted, retryAfterMs, send } = verdict
  const pauseMs = counted ? pauseAfter(BACKOFF, attempts, drawFrom(random)) : 0
  const sends = send === null ? [] : [send]
  if (pauseMs === null) return { kind: 'failed', reason: `Given up: ${reason}`, sends }
  const waitMs = Math.max(pauseMs, retryAfterMs)
  return { kind: 'retry', at: toInstant(clock.nowMs() + waitMs), reason, counted, sends }
}
