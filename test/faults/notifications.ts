import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { D1Database } from '@cloudflare/workers-types'
import { openLocalDatabase } from '../support/local-database.ts'
import type { Checks } from '../support/checks.ts'
import type { StartedService } from '../support/started-service.ts'

/** The data that the check of notifications needs, after the last restart. */
export interface Aftermath extends Pick<Checks, 'check' | 'say'> {
  readonly service: StartedService
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
  const opened = await openLocalDatabase(state)
  const { database } = opened
  try {
    const startedAt = performance.now()
    await check('nothing waits in the outbox any more', async () => {
      let left = await waiting(database)
      say(`        ${left} entries wait after the last restart`)
      while (left > 0 && performance.now() - startedAt < SETTLED_WITHIN_MS) {
        await pause(POLL_MS)
        await fireCron(service)
        left = await waiting(database)
      }
      assert.equal(left, 0)
      say(`        all worked off after ${Math.round((performance.now() - startedAt) / 1000)} s`)
    })
    await check(`each of ${saved.length} notifications arrived once`, async () => {
      const notified = await notifiedSubmissions(database)
      assert.equal(new Set(notified).size, notified.length, 'no submission was notified twice')
      assert.deepEqual([...notified].sort(), [...saved].sort())
    })
    await check('the mailbox page shows the latest of them', async () => {
      const response = await fetch(`${service.origin}/mailbox`, { headers: { accept: 'application/json' } })
      const { messages } = (await response.json()) as { readonly messages: readonly unknown[] }
      assert.equal(messages.length, Math.min(saved.length, 100))
    })
  } finally {
    await opened.close()
  }
}

/** The local runtime fires no cron by itself; `npm start` does every minute, which is longer than a test need wait. */
async function fireCron({ origin }: StartedService): Promise<void> {
  const response = await fetch(`${origin}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`)
  await response.text()
}

/** Entries of the outbox that wait or failed. */
async function waiting(database: D1Database): Promise<number> {
  const sql = 'SELECT count(*) AS count FROM outbox'
  return (await database.prepare(sql).first<number>('count')) ?? 0
}

/** The submissions that the messages of the mailbox name, with repetitions. */
async function notifiedSubmissions(database: D1Database): Promise<readonly string[]> {
  const sql = "SELECT body FROM local_mailbox WHERE channel = 'email'"
  const { results } = await database.prepare(sql).all<{ readonly body: string }>()
  return results.map(({ body }) => /Submission (sub_\w+)\./.exec(body)?.[1] ?? body)
}
