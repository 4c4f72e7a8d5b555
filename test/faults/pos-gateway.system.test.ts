import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PosSource } from '../../ports/sources.ts'
import { customers, transactions } from '../conformance/pos-odbc-rows.ts'
import { hasOdbc, posEngines, type PosEngine } from '../support/pos/pos-engines.ts'
import {
  GATEWAY_SECRET,
  postSigned,
  signedHealth,
  sourcesOf,
  spawnGateway,
  startGateway,
  type RunningGateway,
} from '../support/pos/pos-gateway.ts'
import { processTree, stillRunning } from '../support/services/process-tree.ts'

// How the real gateway process handles malformed requests, its own mistakes and failing databases. The databases are
// embedded, or reached through real ODBC drivers if ODBC_TESTS=yes.

const order = { field: 'completedAt', idField: 'transactionId', direction: 'descending' } as const
const salesPage = {
  kind: 'page',
  collection: 'pos-transactions',
  select: ['transactionId', 'lineItems'],
  where: [],
  order,
  after: null,
  limit: 500,
} as const

/** The secret that replaces the usual one. During the rotation both are valid. */
const NEXT_SECRET = 'the next secret, which nobody has seen'

function codeOf(body: unknown): string | undefined {
  return (body as { readonly error?: { readonly code?: string } }).error?.code
}

/** Waits for a log line, because the log goes through a pipe and may arrive after the answer. */
async function expectLogged({ log }: RunningGateway, line: Readonly<Record<string, unknown>>): Promise<void> {
  await expect.poll(() => log.at(-1)).toMatchObject(line)
}

const engines = posEngines()

type Test = (name: string, run: () => Promise<void>) => void

/**
 * Registers a test of processes once for each driver, because engines differ only there. All embedded engines share a
 * driver.
 */
const perDriver = (engine: PosEngine): Test => (hasOdbc || engine === engines[0] ? it : () => undefined)

/** The time that processes may take to start on a busy machine. */
const PATIENCE = { timeout: 30_000 }

// The last two tests end the gateways that all others use.
for (const engine of engines)
  describe(engine.name, { shuffle: false }, () => {
    const source = engine.tie('north')
    const isShared = source.kind === 'odbc_shared'
    const page = {
      source,
      statement: 'pos-transactions.page',
      parameters: { filters: {}, after: null, limit: 1 },
    }
    let gateway: RunningGateway
    let sales: PosSource
    // A gateway with narrow limits, which requests soon reach.
    let strict: RunningGateway

    beforeAll(async () => {
      await engine.write('north', 'pos-transactions', transactions)
      await engine.write('north', 'pos-customers', customers)
      // In a shared source, a tenant must leave one connection to the others. The deadline is short where a statement
      // that runs into it keeps a core busy until then.
      const limits = {
        deadlineMs: isAsleep(engine) ? 3_000 : 1_000,
        connections: isShared ? 3 : 2,
        listRowsMax: 2,
      }
      ;[gateway, strict] = await Promise.all([
        startGateway(engine.sources({ rowsMax: 500, connections: 2 }), {
          POS_GATEWAY_SECRET: NEXT_SECRET,
          POS_GATEWAY_SECRET_PREVIOUS: GATEWAY_SECRET,
        }),
        startGateway(engine.sources(limits)),
      ])
      sales = sourcesOf(gateway).open(source)
    })
    afterAll(async () => {
      await Promise.all([gateway.stop(), strict.stop()])
    })

    const codeFor = async (body: unknown, changes?: Parameters<typeof postSigned>[2]) => {
      const answer = await postSigned(gateway, body, changes)
      return `${answer.status} ${codeOf(answer.body) ?? 'ok'}`
    }

    it('answers a signed request, once', async () => {
      const nonce = 'a'.repeat(32)
      const timestampMs = Date.now()
      expect(await codeFor(page, { nonce, timestampMs })).toBe('200 ok')
      expect(await codeFor(page, { nonce, timestampMs })).toBe('401 nonce_used')
      expect(await codeFor(page, { nonce })).toBe('401 nonce_used')
    })

    it('answers nobody else', async () => {
      expect(await codeFor(page, { secret: 'x'.repeat(32) })).toBe('401 signature_wrong')
      expect(
        await codeFor(page, { sent: JSON.stringify({ ...page, statement: 'pos-customers.page' }) }),
      ).toBe('401 signature_wrong')
      expect(await codeFor(page, { timestampMs: Date.now() - 61_000 })).toBe('401 timestamp_outside_window')
      expect(await codeFor(page, { timestampMs: Date.now() + 61_000 })).toBe('401 timestamp_outside_window')
      expect(await codeFor(page, { headers: { 'x-gateway-signature': '' } })).toBe('401 signature_wrong')
      const bare = await fetch(`${gateway.url}/v1/read`, { method: 'POST', body: JSON.stringify(page) })
      expect([bare.status, codeOf(await bare.json())]).toEqual([401, 'signature_missing'])
    })

    it.each<[string, unknown]>([
      ['400 invalid_request', '{'],
      ['400 invalid_parameter', '[]'],
      ['400 invalid_parameter', 'null'],
      ['400 invalid_parameter', { ...page, more: 1 }],
      ['400 invalid_parameter', { ...page, source: { kind: 'legacy_vendor', tenant: 'a' } }],
      ['400 invalid_parameter', { ...page, source: { kind: 'odbc_shared', tenant: 1 } }],
      ['400 unknown_statement', { ...page, statement: 'select 1' }],
      ['400 unknown_statement', { ...page, statement: 'pos-transactions.delete' }],
      ['400 unknown_statement', { ...page, statement: '__proto__.page' }],
      ['400 unknown_statement', { ...page, statement: 'contacts.page' }],
      ['400 invalid_parameter', { ...page, statement: 7 }],
      ['400 invalid_parameter', { ...page, parameters: [] }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, limit: '1' } }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, limit: 0 } }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, limit: 1.5 } }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, limit: 501 } }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, filters: [] } }],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, after: 'x' } }],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, after: { value: null, id: 'x' } } },
      ],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, after: { value: '2026', id: 'x' } } },
      ],
      ['400 invalid_parameter', { ...page, parameters: { ...page.parameters, filters: { customerId: 1 } } }],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, filters: { customerId: ['a'] } } },
      ],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, filters: { customerId: null } } },
      ],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, filters: { tenant_code: 'b' } } },
      ],
      [
        '400 invalid_parameter',
        { ...page, parameters: { ...page.parameters, filters: { completedAfter: '2026-01-01' } } },
      ],
      [
        '400 invalid_parameter',
        '{"source":{"kind":"odbc_shared","tenant":"a"},"statement":"pos-transactions.page","parameters":{"filters":{"__proto__":"x"},"after":null,"limit":1}}',
      ],
      ['400 invalid_parameter', { ...page, statement: 'pos-transactions.one', parameters: { id: 1 } }],
      ['400 invalid_parameter', { ...page, statement: 'pos-transactions.one', parameters: {} }],
      [
        '400 invalid_parameter',
        { ...page, statement: 'pos-transactions.one', parameters: { id: 'x'.repeat(1_001) } },
      ],
      ['413 body_too_large', { ...page, more: 'x'.repeat(65_536) }],
    ])('answers %s to %j', async (expected, body) => {
      expect(await codeFor(body)).toBe(expected)
    })

    it('answers 404 and 405 elsewhere, and its health to anyone', async () => {
      const status = async (path: string, method: string) =>
        (await fetch(gateway.url + path, { method })).status
      expect(await status('/', 'GET')).toBe(404)
      expect(await status('/v1/read/', 'POST')).toBe(404)
      expect(await status('/v1/read', 'GET')).toBe(405)
      expect(await status('/health', 'POST')).toBe(405)
      expect(await status('/health', 'HEAD')).toBe(200)
      await sales.page(salesPage)
      const health = await (await fetch(`${gateway.url}/health`)).text()
      expect(health).toBe('{"status":"ok"}')
    })

    it('tells how its sources are to whoever holds the secret', async () => {
      await sales.page(salesPage)
      expect(await signedHealth(gateway)).toEqual({
        status: 200,
        body: { status: 'ok', sources: { ready: expect.any(Number) as number, unavailable: 0 } },
      })
      const { status, body } = await signedHealth(gateway, { secret: 'x'.repeat(32) })
      expect([status, codeOf(body)]).toEqual([401, 'signature_wrong'])
    })

    it('logs no line for each request of a stranger', async () => {
      await sales.page({ ...salesPage, limit: 1 })
      await expectLogged(gateway, { event: 'request', status: 200 })
      const before = gateway.log.length
      const unsigned = { headers: { 'x-gateway-signature': '' } }
      const paths = ['/', '/health', '/v1/read']
      for (let round = 0; round < 50; round += 1) {
        await codeFor(page, unsigned)
        for (const path of paths) await fetch(gateway.url + path)
      }
      await sales.page({ ...salesPage, limit: 1 })
      await expect
        .poll(() => gateway.log.slice(before).at(-1))
        .toMatchObject({ event: 'request', status: 200 })
      const lines = gateway.log.slice(before).filter(({ event }) => event !== 'unsigned_requests')
      expect(lines).toHaveLength(1)
      expect(gateway.log.length - before).toBeLessThanOrEqual(3)
    })

    it('lives on after what is no HTTP', async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      socket.write('\0\xff no HTTP at all\r\n\r\n')
      await once(socket, 'close')
      expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
    })

    it('does not mind a caller that goes away', async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write('POST /v1/read HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
      expect(await codeFor(page)).toBe('200 ok')
      expect(gateway.log.filter(({ event }) => event === 'request_failed')).toEqual([])
    })

    perDriver(engine)('ends a statement that takes too long and serves the next', async () => {
      const view = engine.tie('north').kind === 'odbc_shared' ? 'pos_customer' : 'Guest'
      engine.execute('north', slowView(view, engine))
      const ask = {
        ...salesPage,
        collection: 'pos-customers',
        order: { ...order, field: 'createdAt', idField: 'customerId' },
      }
      const impatient = sourcesOf(strict).open(source)
      const quickPage = { ...salesPage, limit: 1 }
      const quick = async () => (await impatient.page(quickPage)).kind
      const whileSlow = async () => {
        // Two requests at once open both connections. Each starts a process, which may take longer than the deadline.
        await expect.poll(() => Promise.all([quick(), quick()]), PATIENCE).toEqual(['page', 'page'])
        const slow = impatient.page(ask)
        const others = [await quick(), await quick(), await quick()]
        return [...others, await slow]
      }
      const late = { kind: 'unavailable', reason: 'The POS source did not answer the gateway in time.' }
      try {
        // On a busy machine the deadline may be too short for the quick ones as well, which says nothing.
        await expect.poll(whileSlow, { timeout: 60_000 }).toEqual(['page', 'page', 'page', late])
        // The lines of the quick ones may come after it.
        const logged = expect.objectContaining({ status: 504, code: 'deadline_exceeded' }) as unknown
        await expect.poll(() => strict.log.slice(-4)).toContainEqual(logged)
        // More requests than connections, to show that the slow one's place is free again.
        const many = await Promise.all([1, 2, 3].map(() => impatient.page(ask)))
        expect(many.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable', 'unavailable'])
        await expect.poll(quick, PATIENCE).toBe('page')
      } finally {
        engine.execute('north', `drop view ${view}; alter table ${view}_kept rename to ${view}`)
      }
    })

    perDriver(engine)('tells right rows or none when its connections die under load', async () => {
      const expected = await sales.page(salesPage)
      let done = false
      let pages = 0
      const killing = (async () => {
        for (let round = 0; round < 5; round += 1) {
          const before = pages
          await expect.poll(() => pages, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before + 2)
          for (const { pid } of connectionsOf(gateway)) process.kill(pid, 'SIGKILL')
        }
      })().finally(() => {
        done = true
      })
      const work = async () => {
        while (!done) {
          const answer = await sales.page(salesPage)
          if (answer.kind !== 'page') continue
          expect(answer).toEqual(expected)
          pages += 1
        }
      }
      await Promise.all([killing, ...Array.from({ length: 6 }, work)])
      // The pool pauses briefly after a connection that could not be opened.
      await expect.poll(() => sales.page(salesPage), PATIENCE).toEqual(expected)
    })

    it('fails a request for a row that cannot be read, and names it in the log', async () => {
      const table = engine.tie('north').kind === 'odbc_shared' ? 'pos_sale' : 'Ticket'
      const [id, word] = table === 'pos_sale' ? ['sale_no', 'sale_kind'] : ['TicketId', 'TicketType']
      engine.execute('north', `update ${table} set ${word} = 'X' where ${id} = 't3'`)
      expect(await sales.page(salesPage)).toEqual({
        kind: 'unavailable',
        reason: 'A row of the POS source cannot be read; the log of the gateway names it.',
      })
      await expectLogged(gateway, {
        code: 'unreadable_row',
        reason: `${table} t3: ${word} cannot be read`,
      })
      // A page that does not contain the unreadable row still works.
      expect(await sales.page({ ...salesPage, limit: 2 })).toMatchObject({ kind: 'page' })
      await engine.write('north', 'pos-transactions', transactions)
      expect(await sales.page(salesPage)).toMatchObject({ kind: 'page' })
    })

    it('ends a page early that would be more than 4 MiB, and the walk misses no row', async () => {
      const large = Array.from({ length: 40 }, (_, index) => ({
        customerId: `large-${String(index).padStart(2, '0')}`,
        firstName: '\u0001'.repeat(index === 7 ? 900_000 : 60_000),
        createdAt: index < 20 ? null : `2026-01-01T00:00:${index}.000Z`,
      }))
      const tie = engine.tie('south')
      await engine.write('south', 'pos-customers', large)
      const pages: { readonly bytes: number; readonly ids: readonly string[] }[] = []
      for (let after: unknown = null; pages.length === 0 || after !== null;) {
        const parameters = { filters: {}, after, limit: 500 }
        const reply = await postSigned(gateway, { source: tie, statement: 'pos-customers.page', parameters })
        const { rows, next } = reply.body as { rows: readonly { customerId: string }[]; next: unknown }
        const ids = rows.map(({ customerId }) => customerId)
        pages.push({ bytes: Buffer.byteLength(JSON.stringify(reply.body)), ids })
        after = next
      }
      expect(pages.flatMap(({ ids }) => ids).toSorted()).toEqual(large.map(({ customerId }) => customerId))
      const alone = pages.filter(({ bytes }) => bytes > 4 * 1024 * 1024)
      expect(alone.map(({ ids }) => ids)).toEqual([['large-07']])
    })

    it('reads what it does not know as unknown, and local times where no UTC was recorded', async () => {
      await engine.write('north', 'pos-customers', [{ customerId: 'odd' }])
      await engine.write('north', 'pos-recurring-accounts', [{ accountId: 'odd', status: 'active' }])
      engine.execute(
        'north',
        isShared
          ? `update pos_customer set is_active = 'x', phone_e164 = '555-0100' where customer_no = 'odd';
           update pos_membership set membership_state = 'Z', bill_cycle = '?', amount = 12.5 where membership_no = 'odd'`
          : `update Guest set ActiveFlag = 'x', PhoneE164 = '555-0100', LastVisitLocal = '2026-07-01 12:00:00' where GuestId = 'odd';
           update Pass set PassStatus = null, BillEvery = '?', Price = '12.5' where PassId = 'odd'`,
      )
      const one = (collection: string, select: readonly string[]) =>
        sales.one({ kind: 'one', collection, select, id: 'odd' })
      expect(await one('pos-customers', ['active', 'phone', 'lastVisitAt'])).toEqual({
        kind: 'row',
        row: { active: null, phone: null, lastVisitAt: isShared ? null : '2026-07-01T17:00:00.000Z' },
      })
      expect(await one('pos-recurring-accounts', ['status', 'billingInterval', 'amountCents'])).toEqual({
        kind: 'row',
        row: { status: 'unknown', billingInterval: null, amountCents: 1_250 },
      })
    })

    it('logs facts about requests and nothing of persons', async () => {
      const where = [{ field: 'emailKey', operator: 'equals', value: 'ada@example.com' }] as const
      await sales.page({
        ...salesPage,
        collection: 'pos-customers',
        where,
        order: { ...order, field: 'createdAt', idField: 'customerId' },
      })
      await expectLogged(gateway, {
        event: 'request',
        statement: 'pos-customers.page',
        status: 200,
        rows: 5,
      })
      const text = JSON.stringify(gateway.log)
      for (const secret of ['ada@', 'Ada', 'Brien', '+1212', 'A 1', GATEWAY_SECRET, 'DROP'])
        expect(text).not.toContain(secret)
    })

    it('says which sources it does not have', async () => {
      const kind = source.kind === 'odbc_shared' ? 'odbc_second' : 'odbc_shared'
      expect(await codeFor({ ...page, source: { kind, tenant: 'north' } })).toBe('404 unknown_source')
      await expectLogged(gateway, {
        level: 'error',
        code: 'unknown_source',
        kind,
        tenant: 'north',
        status: 404,
      })
      for (const tenant of ['', '../north', 'North', 'north.sqlite', 'north\0']) {
        const expected = source.kind === 'odbc_shared' ? '200 ok' : '404 unknown_source'
        expect(await codeFor({ ...page, source: { kind: source.kind, tenant } })).toBe(expected)
      }
    })

    it('refuses a page with more rows in its lists than it may have', async () => {
      const refused = expect.stringContaining('more lines') as string
      await expect
        .poll(() => sourcesOf(strict).open(source).page(salesPage), PATIENCE)
        .toMatchObject({ kind: 'unavailable', reason: refused })
    })

    it('takes the secret before, too, while it is being changed', async () => {
      const ask = (secret: string) => sourcesOf(gateway, { secret }).open(source).page(salesPage)
      expect([(await ask(NEXT_SECRET)).kind, (await ask(GATEWAY_SECRET)).kind]).toEqual(['page', 'page'])
      expect(await ask('another secret that is long enough')).toMatchObject({
        kind: 'unavailable',
        reason: 'The POS gateway refused the signature: the two secrets differ.',
      })
    })

    perDriver(engine)(
      'finishes what it is doing when it is told to stop, and leaves nothing behind',
      async () => {
        const client = sourcesOf(strict).open(source)
        await expect
          .poll(() => client.page({ ...salesPage, limit: 1 }), PATIENCE)
          .toMatchObject({ kind: 'page' })
        const tree = processTree(strict.process.pid ?? 0)
        expect(tree.length).toBeGreaterThan(1)
        const [answer, exitCode] = await Promise.all([client.page({ ...salesPage, limit: 1 }), strict.stop()])
        // Either the request was answered, or its connection was refused and the request never arrived.
        expect(answer.kind === 'page' || answer.reason.includes('cannot be reached')).toBe(true)
        expect(exitCode).toBe(0)
        expect(stillRunning(tree.map(({ pid }) => pid))).toEqual([])
      },
    )

    perDriver(engine)('leaves nothing behind when it is killed', async () => {
      await sales.page(salesPage)
      const pids = processTree(gateway.process.pid ?? 0).map(({ pid }) => pid)
      expect(pids.length).toBeGreaterThan(1)
      gateway.process.kill('SIGKILL')
      await expect.poll(() => stillRunning(pids), { timeout: 60_000 }).toEqual([])
    })
  })

/** Whether a slow statement of the engine sleeps. */
function isAsleep({ name }: PosEngine): boolean {
  return name.includes('psql')
}

/** Replaces a table by a view that takes longer than any deadline. The table is kept with the suffix `_kept`. */
function slowView(table: string, engine: PosEngine): string {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'
  const wait = isAsleep(engine) ? 'select 1 from pg_sleep(30)' : endless
  return `alter table ${table} rename to ${table}_kept;
    create view ${table} as select * from ${table}_kept where (${wait}) is not null`
}

function connectionsOf({ process: { pid } }: RunningGateway) {
  return processTree(pid ?? 0).filter(({ command }) => command.includes('connection-process'))
}

describe('a gateway that is configured wrongly', () => {
  it.each<[string, unknown, Readonly<Record<string, string>> | undefined, readonly string[], flag?: string]>([
    ['no JSON', 'nonsense', undefined, ['The configuration is no JSON']],
    ['a mistyped flag', {}, undefined, ["Unknown option '--confg'", 'Usage: npm run'], '--confg'],
    ['no flag', {}, undefined, ['Unexpected argument', 'Usage: npm run'], '--'],
    [
      'no secret and no such database',
      { sources: [{ kind: 'odbc_shared', driver: 'sqlite', file: '/missing.sqlite', currency: 'USD' }] },
      {},
      ['POS_GATEWAY_SECRET', 'sources[0].file is no file'],
    ],
  ])('does not start: %s', async (_name, config, environment, problems, flag) => {
    const child = spawnGateway(config, environment, flag)
    let complaint = ''
    child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    await once(child, 'close')
    expect(child.exitCode).toBe(1)
    for (const problem of problems) expect(complaint).toContain(problem)
    expect(complaint).not.toContain(GATEWAY_SECRET)
  })
})
