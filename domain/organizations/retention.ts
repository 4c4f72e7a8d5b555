import type { Clock, Log } from '../../ports/platform.ts'
import type { DueRetention, RetentionDirectory, ErasureLedger } from '../../ports/organization-store.ts'
import { REMOVALS_KEPT_DAYS } from '../resources/removals.ts'
import { FAILING_DAYS } from '../webhooks/webhook.ts'
import { toInstant } from '../text/instant.ts'

interface RetentionSweepWorld {
  /** The retention of one database. */
  readonly retention: RetentionDirectory
  readonly clock: Clock
  readonly log: Log
}

const DAY_MS = 86_400_000

/** The maximum number of settings that one sweep applies, and of removals and of keys that it forgets. */
const DUE_MAX = 50

const FORGOTTEN_MAX = 500

/** No new step is begun after this long, in ms, so that sweeps do not overlap. The next one follows within a minute. */
const SWEEP_MS = 20_000

/**
 * Removes what organizations keep no longer: each setting is applied once a day, in bounded steps. An organization that
 * fails stops no other; it is logged, and tried again by the next sweep. Also switches webhooks off that have failed for
 * too long, and forgets removals that are known long enough, idempotency keys of sends that are free again, deliveries to webhooks that are kept no longer, and what
 * came to forms so long ago that it is no sign of a flood.
 */
export async function sweepRetention({ retention, clock, log }: RetentionSweepWorld): Promise<void> {
  const untilMs = clock.nowMs() + SWEEP_MS
  await switchOffFailing({ retention, clock, log })
  const due = await retention.due(toInstant(clock.nowMs()), DUE_MAX)
  for (const one of due) {
    if (clock.nowMs() >= untilMs) return
    const { organizationId, kind } = one
    try {
      const rows = await applyUntil(untilMs, one, { retention, clock })
      if (rows > 0) log.info('retention_applied', { organizationId, kind, rows })
    } catch (cause) {
      log.error('retention_failed', { organizationId, kind }, cause)
    }
  }
  await retention.forgetSendKeys(toInstant(clock.nowMs()), FORGOTTEN_MAX)
  await forgetDeliveriesUntil(untilMs, { retention, clock })
  await retention.forgetSigns(toInstant(clock.nowMs()), FORGOTTEN_MAX)
  await retention.forgetRemovals(toInstant(clock.nowMs() - REMOVALS_KEPT_DAYS * DAY_MS), FORGOTTEN_MAX)
}

/**
 * Switches webhooks off that are on and have not succeeded for days, whether they are told of anything meanwhile or not:
 * the attempts of a delivery end before.
 */
async function switchOffFailing({ retention, clock, log }: RetentionSweepWorld): Promise<void> {
  const now = toInstant(clock.nowMs())
  const since = toInstant(clock.nowMs() - FAILING_DAYS * DAY_MS)
  for (const webhook of await retention.failingWebhooks(since, DUE_MAX)) {
    const { organizationId, webhookId } = webhook
    try {
      const { offAlert } = await import('../jobs/alert.ts')
      if (await retention.switchOffFailing(webhook, offAlert(webhook, 'failing', now), now))
        log.error('webhook_switched_off', { organizationId, webhookId, reason: 'failing' })
    } catch (cause) {
      log.error('webhook_not_switched_off', { organizationId, webhookId }, cause)
    }
  }
}

// What the service remembers of erased people: the ids of their contacts, and hashes of their addresses under a key that
// nobody has without the root secret. A hash is of one organization, so nobody can compare organizations by it.

/** For how many days it is remembered who was erased: longer than backups are usually kept. */
const ERASURES_KEPT_DAYS = 400

async function applyUntil(
  untilMs: number,
  due: DueRetention,
  { retention, clock }: Pick<RetentionSweepWorld, 'retention' | 'clock'>,
): Promise<number> {
  let rows = 0
  for (let removed = 1; removed > 0 && clock.nowMs() < untilMs;) {
    const nowMs = clock.nowMs()
    const before = toInstant(nowMs - due.days * DAY_MS)
    removed = await retention.apply(due, before, toInstant(nowMs), toInstant(nowMs + DAY_MS))
    rows += removed
  }
  return rows
}

/** Forgets deliveries in bounded steps, because there may be many in a minute. */
async function forgetDeliveriesUntil(
  untilMs: number,
  { retention, clock }: Pick<RetentionSweepWorld, 'retention' | 'clock'>,
): Promise<void> {
  let forgotten = FORGOTTEN_MAX
  while (forgotten === FORGOTTEN_MAX && clock.nowMs() < untilMs)
    forgotten = await retention.forgetDeliveries(toInstant(clock.nowMs()), FORGOTTEN_MAX)
}

/** Forgets who was erased so long ago that no archive of before is kept. */
export async function forgetErasures(erasures: ErasureLedger, clock: Clock): Promise<void> {
  await erasures.forget(toInstant(clock.nowMs() - ERASURES_KEPT_DAYS * DAY_MS), FORGOTTEN_MAX)
}
