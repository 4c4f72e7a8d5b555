import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Checks } from '../support/checks.ts'
import type { KillableService } from '../support/killable-service.ts'
import { sampled } from './sampled.ts'
import type { Remains } from './remains.ts'
import { notifiedSubmissions, readRemains } from './remains.ts'

/** What the check of notifications needs, after the last restart. */
export interface Aftermath extends Pick<Checks, 'check' | 'say'> {
  readonly service: KillableService
  /** The state directory: the mailbox shows its last messages only, so all of them are read from the database. */
  readonly state: string
  /** Every submission of the run that was saved, whether or not its client got a receipt. */
  readonly saved: readonly string[]
}

/** A worker that was killed keeps its entries for two minutes; then a sweep, which comes every minute, takes them. */
const SETTLED_WITHIN_MS = 240_000
const POLL_MS = 2_000

/** Every saved submission's notification arrives in the local mailbox, exactly once, and nothing is left to do. */
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
    const notified = notifiedSubmissions(state)
    const distinct = new Set(notified)
    assert.equal(notified.length - distinct.size, 0, 'submissions were notified twice')
    const expected = new Set(saved)
    assert.deepEqual(sampled(saved.filter((id) => !distinct.has(id))), [], 'submissions were not notified')
    assert.deepEqual(sampled(notified.filter((id) => !expected.has(id))), [], 'submissions are not saved')
  })
}

/** How many entries wait in the outboxes of all databases. */
function waitingIn({ shared, objects }: Remains): number {
  return objects.reduce((sum, { outbox }) => sum + outbox.waiting, shared.waiting)
}
