import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Checks } from '../../support/runner/checks.ts'
import type { KillableService } from '../../support/services/killable-service.ts'
import { sampled } from '../sampled.ts'
import { readRemains, toldSubmissions, type Remains } from '../moves/remains.ts'

/** What the check of notifications needs after the last restart. */
export interface Aftermath extends Pick<Checks, 'check' | 'say'> {
  readonly service: KillableService
  /** The state directory. All messages are read from its database, because the mailbox shows only the last ones. */
  readonly state: string
  /** Every saved submission of the run, whether or not its client got a receipt. */
  readonly saved: readonly string[]
}

/**
 * The entries of a worker that was killed stay claimed for two minutes. The next sweep, at most a minute later, takes
 * them.
 */
const SETTLED_WITHIN_MS = 240_000
const POLL_MS = 2_000

/**
 * Checks that the notification of each saved submission reaches the local mailbox exactly once, or waits in one digest, and
 * that no work is left.
 */
export async function notificationsArriveOnce({
  service,
  state,
  saved,
  check,
  say,
}: Aftermath): Promise<void> {
  const startedAt = performance.now()
  await check('nothing waits in any outbox any more', async () => {
    let left = waitingIn(readRemains(state, 0))
    say(`        ${left} entries wait after the last restart`)
    while (left > 0 && performance.now() - startedAt < SETTLED_WITHIN_MS) {
      await pause(POLL_MS)
      await service.fireCron()
      left = waitingIn(readRemains(state, 0))
    }
    assert.equal(left, 0)
    say(`        all worked off after ${Math.round((performance.now() - startedAt) / 1000)} s`)
  })
  await check(`each of ${saved.length} notifications arrived once`, () => {
    const told = toldSubmissions(state)
    const named = told.flatMap(({ ids }) => ids)
    const distinct = new Set(named)
    assert.equal(named.length - distinct.size, 0, 'submissions were notified twice')
    const expected = new Set(saved)
    assert.deepEqual(sampled(named.filter((id) => !expected.has(id))), [], 'submissions are not saved')
    // A digest names the first fifty and counts the rest.
    const unnamed = told.reduce((sum, of) => sum + of.unnamed, 0)
    const missing = saved.filter((id) => !distinct.has(id))
    if (unnamed === 0) assert.deepEqual(sampled(missing), [], 'submissions were not notified')
    assert.equal(missing.length, unnamed, 'as many submissions are notified as digests count')
  })
}

/** The number of entries in the outboxes of all databases that still wait. */
function waitingIn({ shared, objects }: Remains): number {
  return objects.reduce((sum, { outbox }) => sum + outbox.waiting, shared.waiting)
}
