import { describe, expect, test } from 'vitest'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import { summaries } from '../../../adapters/sqlite/outbox/summary.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { webhook } from '../../../adapters/conformance/webhooks.ts'
import { seededRandom } from '../../support/runner/fakes.ts'
import { createScratchStorage, type ScratchStorage } from '../../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../../support/services/service.ts'
import { OWN, PLACES, SHARED } from '../../support/scratch/scratch-places.ts'

// What waits and fails, compared with a naive count of the rows, in both places.

const PATH = '/operator/v1/outbox/summary'
const kinds = ['notification_email', 'automation_run', 'webhook_delivery'] as const
const reasons = [
  'No email provider is configured.',
  'Step 2: No SMS provider is configured.',
  'The provider refused the message.',
  'It answered 503.',
  'No email provider is configured. Perhaps.',
  null,
]

interface Entry {
  readonly id: string
  readonly kind: (typeof kinds)[number]
  readonly hook: string
  readonly status: 'pending' | 'held' | 'failed'
  readonly dueMs: number
  readonly error: string | null
  readonly token: string | null
  readonly since: string | null
  readonly updatedMs: number
}

interface Tried {
  readonly hook: string
  readonly atMs: number
  readonly status: 'waiting' | 'delivered' | 'failed' | 'dropped'
  /** When it was called, how long that took, in ms, and the status. */
  readonly answers: readonly (readonly [number, number, number | null])[]
}

function drawn(count: number, seed: number, nowMs: number) {
  const next = seededRandom(seed)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)] as Value
  const entries = Array.from({ length: count }, (_, index): Entry => ({
    id: `obx_${String(Math.floor(next() * 1e9))}_${index}`,
    kind: pick(kinds),
    hook: pick(['wh_1', 'wh_2']),
    status: pick(['pending', 'pending', 'pending', 'held', 'failed']),
    dueMs: nowMs + pick([-900_000, -1, 0, 1, 30_000]) + Math.floor(next() * 3),
    error: pick(reasons),
    token: pick([null, '', 'held']),
    since: pick([null, null, '2026-06-15T00:00:00.000Z']),
    updatedMs: nowMs - Math.floor(next() * 5),
  }))
  const tried = Array.from({ length: Math.min(count, 130) }, (_, index): Tried => {
    const status = pick(['waiting', 'delivered', 'delivered', 'failed', 'dropped'] as const)
    const answers = Array.from(
      { length: status === 'dropped' ? 0 : 1 + Math.floor(next() * 3) },
      (_one, at) =>
        [
          nowMs - 10_000 + at + Math.floor(next() * 500),
          Math.floor(next() * 9_000),
          pick([200, 503, null]),
        ] as const,
    )
    return { hook: pick(['wh_1', 'wh_2']), atMs: nowMs - 20_000 + index * 7, status, answers }
  })
  return { entries, tried }
}

const iso = (ms: number) => new Date(ms).toISOString()

async function write(storage: ScratchStorage, organizationId: string, made: ReturnType<typeof drawn>) {
  const database = await storage.databaseOf(organizationId)
  const rows = made.entries.map((it) => {
    const payload = JSON.stringify(
      it.kind === 'webhook_delivery' ? { webhookId: it.hook } : { to: 'a@b.example' },
    )
    const times = [iso(it.dueMs), it.error, iso(it.updatedMs), iso(it.updatedMs), it.token, it.since]
    return [organizationId, it.id, 's', it.kind, payload, it.status, 1, ...times]
  })
  for (const parameters of rows)
    await database.batch([
      {
        sql: `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, status, attempts,
          next_attempt_at, last_error, created_at, updated_at, lease_token, waiting_since)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        parameters,
      },
    ])
  for (const [index, { hook, atMs, status, answers }] of made.tried.entries()) {
    const kept = JSON.stringify(answers.map(([at, ms, code]) => [iso(at), code, ms, 'text', null]))
    await database.batch([
      {
        sql: `insert into webhook_deliveries (organization_id, delivery_id, webhook_id, event, subject_id, at, status,
          attempts, answers, changed_at, expires_at) values (?, ?, ?, 'test', 's', ?, ?, 1, ?, '', '9')`,
        parameters: [organizationId, `whd_${index}`, hook, iso(atMs), status, kept],
      },
    ])
  }
}

const CAP = 1000

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => object) {
  const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)))
  return [...groups]
    .map(([key, of]) => JSON.stringify({ ...(JSON.parse(key) as object), count: of.length }))
    .sort()
}

/** What the operation should say, looked up in the rows one by one. */
function naive({ entries, tried }: ReturnType<typeof drawn>, nowMs: number) {
  const ofCodes = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  const pending = entries
    .filter(({ status }) => status === 'pending')
    .toSorted((one, other) => one.dueMs - other.dueMs || ofCodes(one.id, other.id))
    .slice(0, CAP)
  const stopped = entries
    .filter(({ status }) => status !== 'pending')
    .toSorted((one, other) => other.updatedMs - one.updatedMs || ofCodes(other.id, one.id))
    .slice(0, CAP)
  const whatFor = ({ token, dueMs, since, error }: Entry) => {
    if (token === 'held' && dueMs > nowMs) return 'working'
    if (since !== null) return 'bound'
    if (error === reasons[0] || error === reasons[1]) return 'provider'
    if (dueMs <= nowMs) return 'due'
    return error === null ? 'scheduled' : 'retry'
  }
  const due = pending.filter(({ dueMs }) => dueMs <= nowMs).map(({ dueMs }) => dueMs)
  const failed = stopped.filter(({ status, error }) => status === 'failed' && error !== null)
  return {
    waiting: countBy(pending, (it) => ({ kind: it.kind, for: whatFor(it) })),
    isWaitingWhole: pending.length < CAP,
    dueSince: due.length === 0 ? null : iso(Math.min(...due)),
    stopped: countBy(stopped, ({ kind, status }) => ({ kind, status })),
    isStoppedWhole: stopped.length < CAP,
    reasonCounts: countBy(failed, ({ kind, error }) => ({ kind, reason: error })),
    webhooks: ['wh_1', 'wh_2'].map((hook) => {
      const latest = tried
        .filter((it) => it.hook === hook)
        .toSorted((one, other) => other.atMs - one.atMs)
        .slice(0, 50)
        .filter(({ answers }) => answers.length > 0)
      const times = latest
        .flatMap(({ answers }) => (answers.at(-1)?.[2] == null ? [] : (answers.at(-1)?.[1] ?? [])))
        .sort((one, other) => one - other)
      const successes = latest.flatMap(({ status, answers }) =>
        status === 'delivered' ? (answers.at(-1)?.[0] ?? []) : [],
      )
      return {
        waiting: pending.filter((it) => it.kind === 'webhook_delivery' && it.hook === hook).length,
        tried: latest.length,
        failed: latest.filter(({ status }) => status !== 'delivered').length,
        lastSuccessAt: successes.length === 0 ? null : iso(Math.max(...successes)),
        medianMs: times[Math.floor((times.length - 1) / 2)] ?? null,
        slowestMs: times.at(-1) ?? null,
      }
    }),
  }
}

interface Shown extends Omit<ReturnType<typeof naive>, 'waiting' | 'stopped' | 'reasonCounts' | 'webhooks'> {
  readonly organizationId: string
  readonly problems: readonly string[]
  readonly waiting: readonly object[]
  readonly stopped: readonly object[]
  readonly reasons: readonly {
    readonly kind: string
    readonly reason: string
    readonly count: number
    readonly at: string
  }[]
  readonly webhooks: readonly Readonly<Record<string, unknown>>[]
}

interface Page {
  readonly data: readonly Shown[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly unanswered?: readonly string[]
}

const sorted = (groups: readonly object[]) => groups.map((group) => JSON.stringify(group)).sort()

async function opened(choice: PlaceChoice) {
  let scratch: ScratchStorage | undefined
  const service = await openTestService((clock) => (scratch = createScratchStorage({ clock, choice })))
  if (scratch === undefined) throw new Error('There is no storage')
  const key = await service.addOperatorKey('support')
  const read = async (query = ''): Promise<Page> => {
    const response = await service.send(`${PATH}${query}`, { key })
    expect([query, response.status]).toEqual([query, 200])
    return (await response.json()) as Page
  }
  return { service, scratch, read }
}

async function addHooks(service: TestService, organizationId: string): Promise<void> {
  for (const id of ['wh_1', 'wh_2'])
    expect(await service.storage.webhooks(organizationId).create(webhook(id), 20)).toBe(true)
}

describe.each(PLACES)('in the $kind place', (choice) => {
  test('each organization is counted as a naive look at its rows counts it', async () => {
    const { service, scratch, read } = await opened(choice)
    const nowMs = service.clock.nowMs()
    const made = new Map(
      [0, 1, 7, 60, 400, 2_600].map((count, seed) => [`o-${seed}`, drawn(count, seed + 1, nowMs)]),
    )
    for (const [id, rows] of made) {
      await service.addOrganization(id)
      await addHooks(service, id)
      await write(scratch, id, rows)
    }
    const { data } = await read()
    expect(data.map(({ organizationId }) => organizationId)).toEqual([...made.keys()])
    for (const shown of data) {
      const { reasonCounts, webhooks, ...expected } = naive(
        made.get(shown.organizationId) ?? drawn(0, 1, 0),
        nowMs,
      )
      const { organizationId, waiting, stopped, isWaitingWhole, isStoppedWhole, dueSince } = shown
      expect({
        waiting: sorted(waiting),
        stopped: sorted(stopped),
        isWaitingWhole,
        isStoppedWhole,
        dueSince,
      }).toEqual(expected)
      const said = shown.reasons.map(({ at: _at, ...reason }) => JSON.stringify(reason))
      expect(said).toHaveLength(Math.min(5, reasonCounts.length))
      expect(reasonCounts).toEqual(expect.arrayContaining(said))
      const times = shown.reasons.map(({ at }) => at)
      expect(times).toEqual(times.toSorted().toReversed())
      expect(shown.webhooks).toMatchObject(
        webhooks.map((figures, index) => ({ webhookId: `${organizationId}:wh_${index + 1}`, ...figures })),
      )
      expect(await read(`?organizationId=${organizationId}`)).toMatchObject({ data: [shown] })
    }
    // Page by page it is the same.
    const paged: Shown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await read(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      paged.push(...page.data)
      cursor = page.pagination.nextCursor
    }
    expect(paged).toEqual(data)
  })

  test('only organizations with a problem are shown when asked for, each with what it is', async () => {
    const { service, scratch, read } = await opened(choice)
    const nowMs = service.clock.nowMs()
    const entry = (changes: Partial<Entry>): Entry => ({
      ...{ id: 'obx_1', kind: 'notification_email', hook: 'wh_1', status: 'pending', dueMs: nowMs + 1 },
      ...{ error: null, token: null, since: null, updatedMs: nowMs },
      ...changes,
    })
    const cases: Readonly<Record<string, readonly [Entry, readonly string[]]>> = {
      'a-calm': [entry({}), []],
      'b-due': [entry({ dueMs: nowMs - 299_999 }), []],
      'c-late': [entry({ dueMs: nowMs - 300_000 }), ['overdue']],
      'd-failed': [entry({ status: 'failed', error: 'Refused.' }), ['failed']],
      'e-held': [entry({ status: 'held' }), []],
      'f-none': [entry({ error: reasons[0] ?? null }), ['no_provider']],
    }
    for (const [id, [row]] of Object.entries(cases)) {
      await service.addOrganization(id)
      await write(scratch, id, { entries: [row], tried: [] })
    }
    for (const id of ['g-off', 'h-failing', 'i-slow', 'j-off-and-slow']) {
      await service.addOrganization(id)
      await addHooks(service, id)
    }
    await service.storage.webhooks('g-off').switchOff('wh_1', 'gone')
    const failing = await scratch.databaseOf('h-failing')
    await failing.batch([
      {
        sql: `update webhooks set failing_since = ? where organization_id = 'h-failing'`,
        parameters: [iso(nowMs)],
      },
    ])
    const slow = { hook: 'wh_1', atMs: nowMs, status: 'delivered', answers: [[nowMs, 3_000, 200]] } as const
    for (const id of ['i-slow', 'j-off-and-slow']) await write(scratch, id, { entries: [], tried: [slow] })
    // Somebody switched it off: nobody waits for its answers.
    await service.storage.webhooks('j-off-and-slow').update('wh_1', { isOn: false }, null)
    const all = await read()
    const problems = Object.fromEntries(all.data.map((it) => [it.organizationId, it.problems]))
    const expected = {
      ...Object.fromEntries(Object.entries(cases).map(([id, [, words]]) => [id, words])),
      ...{
        'g-off': ['webhook_off'],
        'h-failing': ['webhook_failing'],
        'i-slow': ['webhook_slow'],
        'j-off-and-slow': [],
      },
    }
    expect(problems).toEqual(expected)
    const { data } = await read('?only=problems')
    expect(data).toEqual(all.data.filter((it) => it.problems.length > 0))
    expect((await read('?only=problems&organizationId=a-calm')).data).toEqual([])
    expect((await read('?organizationId=nobody')).data).toEqual([])
    for (const query of ['?only=all', '?cursor=x', '?page=2', '?only=problems&only=problems']) {
      const key = await service.addOperatorKey('support')
      expect([query, (await service.send(`${PATH}${query}`, { key })).status]).toEqual([query, 400])
    }
  })
})

test('no more rows are read however much waits, failed or was delivered', async () => {
  const { scratch, service } = await opened(SHARED)
  await service.addOrganization('acme')
  const plans: string[] = []
  const explaining: Executor = {
    async batch(statements) {
      for (const { sql, parameters } of statements) {
        const [plan] = await scratch.database.batch([{ sql: `explain query plan ${sql}`, parameters }])
        plans.push(...(plan?.rows ?? []).map(({ detail }) => String(detail)))
      }
      return scratch.database.batch(statements)
    },
  }
  const scope = { now: iso(0), providerless: ['None.'], entriesMax: 10, reasonsMax: 5, deliveriesMax: 5 }
  expect(await summaries(explaining, ['acme'], scope)).toHaveLength(1)
  const reads = plans.filter((line) => /^(?:SEARCH|SCAN) (?:outbox|d|w|o)\b/.test(line))
  expect(reads).toEqual([
    expect.stringMatching(/^SEARCH o /),
    'SEARCH outbox USING INDEX outbox_turns (organization_id=?)',
    'SEARCH outbox USING INDEX outbox_stopped (organization_id=?)',
    'SEARCH outbox USING INDEX outbox_stopped (organization_id=?)',
    expect.stringMatching(/^SEARCH w USING PRIMARY KEY/),
    'SEARCH d USING INDEX webhook_deliveries_at (organization_id=? AND webhook_id=?)',
  ])
  // What is ordered is what the bounds let through.
  const isInner = (line: string) => line.startsWith('SEARCH outbox') || line.startsWith('SEARCH d')
  for (const [index, line] of plans.entries())
    if (isInner(line)) expect([line, plans[index + 1]]).not.toEqual([line, 'USE TEMP B-TREE FOR ORDER BY'])
})

test('a family whose database does not answer is named, and the others are shown', async () => {
  const { service, scratch, read } = await opened(OWN)
  for (const id of ['one', 'two']) await service.addOrganization(id)
  const broken = await scratch.databaseOf('one')
  broken.close()
  expect(await read()).toMatchObject({ data: [{ organizationId: 'two' }], unanswered: ['one'] })
})
