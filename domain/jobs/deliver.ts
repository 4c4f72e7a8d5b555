import type { ClaimedEntry, OutboxRef, Settlement, TenantOutbox, OutboxStore } from '../../ports/outbox.ts'
import { drawFrom, pauseAfter, eachOf, pause, CONNECTIONS_WIDTH, ALARM_MS } from '../limits/waiting.ts'
import {
  ALERT_EMAIL,
  AUTOMATION_RUN,
  DELIVERY_PREFIX,
  NOTIFICATION_DIGEST,
  NOTIFICATION_EMAIL,
  WEBHOOK_DELIVERY,
} from '../forms/outbox.ts'
import { relayed } from '../../ports/relayed.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { backoffOf, hopeless, inTime, leaseEnd, type Job, type JobWorld, type Verdict } from './work.ts'
import { sendDigest, notify } from './notify.ts'
import { runAutomation } from './automation.ts'
import type { Clock, Log } from '../../ports/platform.ts'
import type { ImportDirectory } from '../../ports/import-sessions.ts'
import type { FamilyWithWork, OwnPlace, PlaceDirectory } from '../../ports/placement.ts'
import type { RetentionDirectory } from '../../ports/organization-store.ts'

const TOKEN_LENGTH = 22

/** The outcome for an entry. `idle`: there was nothing to do. `lost`: another worker took the entry over. */
export type Delivery = Settlement['kind'] | 'idle' | 'lost'

/** The work for each kind of entry. It may reject, which counts as a failed attempt. */
const works: Readonly<Record<string, (job: Job) => Verdict | Promise<Verdict>>> = {
  [NOTIFICATION_EMAIL]: notify,
  [NOTIFICATION_DIGEST]: sendDigest,
  [AUTOMATION_RUN]: runAutomation,
  [WEBHOOK_DELIVERY]: async (job) => (await import('./webhook.ts')).tellWebhook(job),
  [ALERT_EMAIL]: async (job) => (await import('./alert.ts')).sendAlert(job),
}

/** An entry that is due again within this time, in ms, is not left to the next sweep: whoever tried it waits. */
const SOON_MS = 10_000
/** How much later than that it is tried, in ms, because a timer may be early. */
const AFTER_MS = 50

/**
 * Processes one outbox entry: claims it, does its work and writes the outcome. Safe to call for any entry at any time
 * and any number of times: only one caller at a time gets the entry, and a caller that died blocks it only until its
 * lease ends. An entry that is due again within seconds is then tried once more, and entries that took its place are
 * processed after it. Rejects when storage fails; the sweep
 * then finds the entry again.
 */
export async function deliver(ref: OutboxRef, world: JobWorld): Promise<Delivery> {
  const { outcome, againAt, replacedBy } = await attemptOnce(ref, world)
  await eachOf(replacedBy, CONNECTIONS_WIDTH, async (next) => {
    await deliver(next, world)
  })
  const waitMs = againAt === null ? Infinity : Date.parse(againAt) - world.clock.nowMs()
  if (waitMs > SOON_MS) return outcome
  await pause(world.deadline, waitMs + AFTER_MS)
  const again = await attemptOnce(ref, world)
  return again.outcome === 'idle' ? outcome : again.outcome
}

interface Attempted {
  readonly outcome: Delivery
  /** When the next attempt is; null: there is none, or it is not known. */
  readonly againAt: string | null
  /** The entries that took the place of this one. */
  readonly replacedBy: readonly OutboxRef[]
}

const left = (outcome: Delivery): Attempted => ({ outcome, againAt: null, replacedBy: [] })

async function attemptOnce({ organizationId, outboxId }: OutboxRef, world: JobWorld): Promise<Attempted> {
  const opened = world.outbox.open(organizationId)
  const outbox = relayed<TenantOutbox>((ask) => inTime(ask(opened), world))
  const nowMs = world.clock.nowMs()
  const token = randomBase62(TOKEN_LENGTH, (length) => world.random.bytes(length))
  const entry = await outbox.claim(outboxId, { token, until: leaseEnd(nowMs) }, toInstant(nowMs))
  if (entry === null) return left('idle')
  const verdict = await attempt({ entry, token, outbox, world })
  if (verdict.kind === 'lost') return left('lost')
  const settlement = await withAlert(settlementOf(verdict, entry, world), entry, world)
  const isHeld = await outbox.settle(outboxId, token, settlement, toInstant(world.clock.nowMs()))
  const { kind, attempts } = entry
  const reason = settlement.kind === 'done' ? null : settlement.reason
  world.log.info('outbox_settled', { outboxId, kind, attempts, outcome: settlement.kind, reason, isHeld })
  if (!isHeld) return left('lost')
  const entries = settlement.kind === 'done' ? (settlement.entries ?? []) : []
  return {
    outcome: settlement.kind,
    againAt: settlement.kind === 'retry' ? settlement.at : null,
    replacedBy: entries.map((next) => ({ organizationId, outboxId: next.outboxId })),
  }
}

async function attempt(job: Job): Promise<Verdict> {
  const { entry, world } = job
  const work = works[entry.kind]
  if (work === undefined) return hopeless(`There is no work of kind ${entry.kind}.`)
  try {
    return await work(job)
  } catch (cause) {
    world.log.error('outbox_attempt_broke', { outboxId: entry.outboxId, kind: entry.kind }, cause)
    return { kind: 'unavailable', reason: 'Internal failure.', counted: true, retryAfterMs: 0, send: null }
  }
}

function settlementOf(
  verdict: Exclude<Verdict, { kind: 'lost' }>,
  { kind, attempts }: ClaimedEntry,
  { clock, random }: JobWorld,
): Settlement {
  if (verdict.kind === 'waiting') {
    const { until: at, reason, since: waitingSince } = verdict
    return { kind: 'retry', at, reason, counted: false, waitingSince }
  }
  if (verdict.kind === 'again') return { ...verdict, kind: 'retry', counted: true }
  if (verdict.kind !== 'unavailable') return verdict
  const { reason, counted, retryAfterMs, send, others = [] } = verdict
  const pauseMs = counted ? pauseAfter(backoffOf(kind), attempts, drawFrom(random)) : 0
  const sends = [...others, ...(send === null ? [] : [send])]
  if (pauseMs === null) return { kind: 'failed', reason: `${GIVEN_UP} ${reason}`, sends }
  const waitMs = Math.max(pauseMs, retryAfterMs)
  return { kind: 'retry', at: toInstant(clock.nowMs() + waitMs), reason, counted, sends }
}

const GIVEN_UP = 'Given up:'

/** A settlement, with an alert when an email to or about a submission will not arrive. Alerts cause none. */
async function withAlert(
  settlement: Settlement,
  { kind, form, submission }: ClaimedEntry,
  { clock }: JobWorld,
): Promise<Settlement> {
  if (settlement.kind !== 'failed' || (kind !== NOTIFICATION_EMAIL && kind !== AUTOMATION_RUN))
    return settlement
  const { reason, sends } = settlement
  const isOfMail = sends.some(({ channel }) => channel === 'email')
  if (!isOfMail && !(sends.length === 0 && reason.startsWith(GIVEN_UP))) return settlement
  const { alertAbout } = await import('./alert.ts')
  const failure = {
    kind: kind === NOTIFICATION_EMAIL ? 'notification' : 'automation',
    about: form?.name ?? submission?.formId ?? 'that is gone',
    reason,
  } as const
  return { ...settlement, alert: alertAbout(failure, toInstant(clock.nowMs())) }
}

/** The maximum number of entries in one sweep. The next sweep follows within a minute. */
const ENTRIES_MAX = 500
/** How many webhooks a sweep tells at once, beside its other work: the platform opens six connections at most. */
const TELLING_WIDTH = 2
/** No new entry is begun after this long, in ms, so that sweeps do not overlap. */
const BUDGET_MS = 40_000

/** How many entries a sweep found, and what became of them. */
export interface Swept {
  readonly due: number
  readonly worked: number
}

/**
 * Processes the entries that are due: those whose queue message was lost, whose next attempt has come, or whose worker
 * died. Organizations take turns, both in reading and in processing, so that one with thousands of entries does not
 * delay the others. Bounded in number and time. Rejects when the due entries cannot be read.
 * @param from the outbox to read: that of the shared database, unless a family's is given
 */
export async function sweep(world: JobWorld, from: Pick<OutboxStore, 'due'> = world.outbox): Promise<Swept> {
  const startedMs = world.clock.nowMs()
  const due = await from.due(toInstant(startedMs), ENTRIES_MAX)
  let worked = 0
  const work = async (ref: OutboxRef) => {
    if (world.clock.nowMs() - startedMs > BUDGET_MS) return
    try {
      if ((await deliver(ref, world)) !== 'idle') worked += 1
    } catch (cause) {
      world.log.error('outbox_delivery_failed', { outboxId: ref.outboxId }, cause)
    }
  }
  // A receiver may take ten seconds for each answer, and holds up no mail meanwhile.
  const isTelling = ({ outboxId }: OutboxRef) => outboxId.startsWith(DELIVERY_PREFIX)
  await Promise.all([
    eachOf(due.filter(isTelling), TELLING_WIDTH, work),
    eachOf(
      due.filter((ref) => !isTelling(ref)),
      CONNECTIONS_WIDTH,
      work,
    ),
  ])
  if (due.length > 0) world.log.info('outbox_swept', { due: due.length, worked })
  return { due: due.length, worked }
}

/** The maximum number of families in one sweep. */
const SWEPT_MAX = 100

/** After how long a family is asked again when an import of it is being written, or when it has not answered, in ms. */
const ASKED_SOON_MS = 60_000
const ASKED_AGAIN_MS = 120_000

/** The pending work in the database of one family. */
interface FamilyWork {
  readonly outbox: Pick<OutboxStore, 'nextDue'>
  readonly imports: Pick<ImportDirectory, 'untouched' | 'withLeftovers'>
  readonly retention: Pick<RetentionDirectory, 'nextDue'>
  /** Does the work that is due: outbox entries, imports, and what is kept no longer. */
  work(): Promise<void>
}

/** The ports that the sweep of families needs. */
export interface FamilySweepWorld {
  readonly directory: Pick<PlaceDirectory, 'familiesWithWork' | 'settleWork'>
  readonly openWork: (place: OwnPlace) => FamilyWork
  readonly clock: Clock
  readonly log: Log
}

/**
 * Checks on families with databases of their own for which work was noted, and whose alarm should have done it by now.
 * A family is forgotten when it had no work at two checks, ten minutes apart. Work that arrives in between is noted
 * again, or is found by the second check.
 */
export async function sweepFamilies(world: FamilySweepWorld): Promise<void> {
  const { directory, clock, log } = world
  const families = await directory.familiesWithWork(toInstant(clock.nowMs()), SWEPT_MAX)
  await eachOf(families, CONNECTIONS_WIDTH, async (family) => {
    try {
      // A database may never answer. If its family were put off only afterwards, it would stay the longest waiting one,
      // and enough of such families would keep the cron from all others.
      await directory.settleWork(family, false, toInstant(clock.nowMs() + ASKED_AGAIN_MS))
      await lookAfter(family, world)
    } catch (cause) {
      log.error('family_sweep_failed', { familyId: family.place.familyId }, cause)
    }
  })
}

async function lookAfter(family: FamilyWithWork, { directory, openWork, clock }: FamilySweepWorld) {
  const open = openWork(family.place)
  await open.work()
  const next = await nextLook(open, clock)
  if (next !== null) return directory.settleWork(family, false, next)
  const again = family.wasIdle ? null : toInstant(clock.nowMs() + ALARM_MS)
  return directory.settleWork(family, true, again)
}

/** When a family is to be asked again; null: it has no work. */
async function nextLook({ outbox, imports, retention }: FamilyWork, clock: Clock): Promise<string | null> {
  const nowMs = clock.nowMs()
  const farthest = '9999-12-31T23:59:59.999Z'
  const isWriting = (await imports.untouched('writing', farthest, 1)).length > 0
  if (isWriting) return toInstant(nowMs + ASKED_SOON_MS)
  const isLeft = (await imports.withLeftovers(1)).length > 0
  const isOpen = (await imports.untouched('receiving', farthest, 1)).length > 0
  const due = earlier(await outbox.nextDue(), await retention.nextDue())
  const dueMs = due === null ? null : Math.max(Date.parse(due), nowMs) + ALARM_MS
  if (isLeft || isOpen) return toInstant(Math.min(dueMs ?? Infinity, nowMs + ALARM_MS))
  return dueMs === null ? null : toInstant(dueMs)
}

/** The earlier of two instants; null: neither is given. */
function earlier(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right
  return left < right ? left : right
}
