import { expect, test } from 'vitest'
import { form, organization, submission } from '../../conformance/fixtures.ts'
import { seededRandom } from '../../../test/support/runner/fakes.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { createStorage, type Executor, type ResultRow, type Statement } from '../index.ts'

const START_MS = Date.parse('2020-06-15T12:00:00.000Z')
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A database in which an entry of `org-a` is claimed; `ask` asks to send a message. */
async function claimedEntry() {
  const clock = { nowMs: () => START_MS }
  const { database } = createScratchStorage({ clock })
  const sent: Statement[] = []
  const executor: Executor = {
    batch(statements) {
      sent.push(...statements)
      return database.batch(statements)
    },
  }
  const storage = createStorage({ executor, clock, isShared: true })
  await storage.administration.saveOrganization(organization('org-a'))
  await storage.tenant('org-a').upsert('forms', [form('form-1')])
  const entry = { outboxId: 'out-1', kind: 'automation_run', payload: {} }
  await storage.tenant('org-a').saveSubmission(submission('sub-1', { outbox: [entry] }))
  const outbox = storage.outbox.open('org-a')
  const leaseUntil = toInstant(START_MS + 99 * DAY_MS)
  await outbox.claim('out-1', { token: 't', until: leaseUntil }, toInstant(START_MS))
  const ask = (
    messageId: string,
    recipient: string,
    nowMs: number,
    organizationMax: number,
    sinceMs = nowMs,
  ) => {
    const waitsUntil = toInstant(sinceMs + 99 * DAY_MS)
    const bounds = { recipientMax: 5, organizationMax, waitsUntil, leaseUntil }
    const identity = { sendId: messageId, channel: 'sms', from: '+12125550100', to: recipient } as const
    const send = {
      ...identity,
      outcome: 'pending',
      providerId: null,
      error: null,
      at: toInstant(nowMs),
    } as const
    const message = { messageId, recipient, ...bounds, send }
    return outbox.admit('out-1', 't', message, toInstant(nowMs))
  }
  const rows = async (sql: string, parameters: Statement['parameters'] = []): Promise<ResultRow[]> =>
    (await database.batch([{ sql, parameters }]))[0]?.rows ?? []
  return { ask, rows, sent }
}

/** The largest number of instants within any window of this length. */
function most(sortedMs: readonly number[], windowMs: number): number {
  const counts = sortedMs.map(
    (ms, index) => sortedMs.slice(index).filter((other) => other < ms + windowMs).length,
  )
  return Math.max(0, ...counts)
}

test.each([1, 2, 3, 4, 5, 6])(
  'no window ever contains more than it may, and who waits is sent when told (seed %i)',
  async (seed) => {
    const { ask } = await claimedEntry()
    const random = seededRandom(seed)
    const organizationMax = 8
    const sent: { messageId: string; recipient: string; atMs: number; wasTold: number }[] = []
    let pending: { messageId: string; recipient: string; sinceMs: number; dueMs: number; told: number }[] = []
    let [nowMs, count] = [START_MS, 0]
    for (let round = 0; round < 400; round += 1) {
      nowMs += Math.floor(random() * HOUR_MS * (count < 80 ? 0.1 : 1.5))
      if (count < 80) {
        count += 1
        const recipient = random() < 0.4 ? 'busy' : `guest-${Math.floor(random() * 30)}`
        pending.push({
          messageId: `m-${String(count).padStart(3, '0')}`,
          recipient,
          sinceMs: nowMs,
          dueMs: nowMs,
          told: 0,
        })
      }
      const due = pending
        .filter(({ dueMs }) => dueMs <= nowMs)
        .sort((left, right) => left.dueMs - right.dueMs || left.messageId.localeCompare(right.messageId))
      for (const message of due) {
        const answer = await ask(
          message.messageId,
          message.recipient,
          nowMs,
          organizationMax,
          message.sinceMs,
        )
        pending = pending.filter((other) => other !== message)
        if (answer.kind === 'admitted') sent.push({ ...message, atMs: nowMs, wasTold: message.told })
        else {
          const dueMs = Date.parse(answer.until ?? '')
          expect(dueMs).toBeGreaterThan(nowMs)
          pending.push({ ...message, dueMs, told: message.told + 1 })
        }
      }
    }
    expect(pending).toEqual([])
    expect(
      most(
        sent.map(({ atMs }) => atMs),
        HOUR_MS,
      ),
    ).toBe(organizationMax)
    const toBusy = sent.filter(({ recipient }) => recipient === 'busy')
    expect(
      most(
        toBusy.map(({ atMs }) => atMs),
        DAY_MS,
      ),
    ).toBe(5)
    // Nobody asks over and over.
    expect(Math.max(...sent.map(({ wasTold }) => wasTold))).toBeLessThan(6)
    // Nobody overtakes: of those that ask at the same time, either may be the first.
    const moments = Map.groupBy(toBusy, ({ atMs }) => atMs)
    const order = [...moments.values()].map((sentThen) => sentThen.map(({ messageId }) => messageId).sort())
    expect(order.flat()).toEqual(toBusy.map(({ messageId }) => messageId).sort())
  },
)

test('messages are counted by indexes, and forgotten after a day', async () => {
  const { ask, rows, sent } = await claimedEntry()
  for (let number = 0; number < 40; number += 1)
    await ask(`m-${number}`, `to-${number}`, START_MS + number, 500)
  const statements = sent.filter(({ sql }) => sql.includes('automation_messages')).slice(-2)
  for (const { sql, parameters } of statements) {
    const plan = await rows(`explain query plan ${sql}`, parameters)
    const reads = plan
      .map(({ detail }) => String(detail))
      .filter((detail) => /automation_messages|\bm\b/.test(detail))
    expect(reads.length).toBeGreaterThan(0)
    for (const detail of reads) expect(detail).toMatch(/^SEARCH .* USING (?:(?:COVERING )?INDEX|PRIMARY KEY)/)
  }
  await ask('later', 'x', START_MS + DAY_MS + 39, 500)
  await ask('later still', 'x', START_MS + DAY_MS + 39, 500)
  expect(await rows('select message_id as id from automation_messages order by at')).toEqual([
    { id: 'later' },
    { id: 'later still' },
  ])
})

test('a message whose time has come counts those that callers with a clock ahead of its own have sent', async () => {
  const { ask } = await claimedEntry()
  const organizationMax = 2
  const dueMs = START_MS + HOUR_MS
  for (const messageId of ['a', 'b']) await ask(messageId, messageId, START_MS, organizationMax)
  for (const messageId of ['c', 'd', 'e'])
    expect(await ask(messageId, messageId, START_MS, organizationMax)).toMatchObject({ kind: 'over' })
  const later = dueMs + HOUR_MS
  for (const [index, messageId] of ['c', 'd'].entries())
    expect(await ask(messageId, messageId, later + 2 - index, organizationMax, START_MS)).toEqual({
      kind: 'admitted',
    })
  expect(await ask('e', 'e', later, organizationMax, START_MS)).toMatchObject({
    kind: 'over',
    bound: 'organization',
  })
})
