import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PosSource } from '../../ports/pos-source.ts'
import { customers, transactions } from '../conformance/pos-odbc-rows.ts'
import type { PosEngine } from '../support/pos-engines.ts'
import { posEngines } from '../support/pos-engines.ts'
import type { RunningGateway } from '../support/pos-gateway.ts'
import { GATEWAY_SECRET, postSigned, sourcesOf, spawnGateway, startGateway } from '../support/pos-gateway.ts'
import { processTree, stillRunning } from '../support/process-tree.ts'

// What strangers, mistakes and bad days do to the gateway, on the real process: embedded databases, or real ODBC drivers
// with ODBC_TESTS=yes.

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

function codeOf(body: unknown): string | undefined {
  return (body as { readonly error?: { readonly code?: string } }).error?.code
}

/** The log takes its way through a pipe, so it may arrive after the answer. */
async function expectLogged({ log }: RunningGateway, line: Readonly<Record<string, unknown>>): Promise<void> {
  await expect.poll(() => log.at(-1)).toMatchObject(line)
}

describe.each(posEngines().map((engine) => [engine.name, engine] as const))(
  '%s',
  (_name, engine: PosEngine) => {
    const source = engine.tie('north')
    const page = {
      source,
      statement: 'pos-transactions.page',
      parameters: { filters: {}, after: null, limit: 1 },
    }
    let gateway: RunningGateway
    let sales: PosSource

    beforeAll(async () => {
      await engine.write('north', 'pos-transactions', transactions)
      await engine.write('north', 'pos-customers', customers)
      gateway = await startGateway(engine.sources({ deadlineMs: 2_000, rowsMax: 500 }))
      sales = sourcesOf(gateway).open(source)
    })
    afterAll(async () => {
      await gateway.stop()
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
      expect(JSON.parse(health)).toEqual({
        status: 'ok',
        sources: { ready: expect.any(Number) as number, unavailable: 0 },
      })
    })

    it('lives on after what is no HTTP', async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      socket.write('\0\xff no HTTP at all\r\n\r\n')
      await once(socket, 'close')
      expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
    })

    it('ends a statement that takes too long and serves the next', async () => {
      const view = engine.tie('north').kind === 'odbc_shared' ? 'pos_customer' : 'Guest'
      engine.execute('north', slowView(view, engine))
      const ask = {
        ...salesPage,
        collection: 'pos-customers',
        order: { ...order, field: 'createdAt', idField: 'customerId' },
      }
      const slow = sourcesOf(gateway).open(source).page(ask)
      const meanwhile = await Promise.all([1, 2, 3].map(() => sales.page(salesPage)))
      expect(meanwhile.map(({ kind }) => kind)).toEqual(['page', 'page', 'page'])
      expect(await slow).toEqual({
        kind: 'unavailable',
        reason: 'The POS source did not answer the gateway in time.',
      })
      await expectLogged(gateway, { status: 504, code: 'deadline_exceeded' })
      // More of them than there are connections: their places are free again.
      const many = await Promise.all(
        Array.from({ length: 9 }, () => sourcesOf(gateway).open(source).page(ask)),
      )
      expect(many.map(({ kind }) => kind)).toEqual(Array.from({ length: 9 }, () => 'unavailable'))
      expect(await sales.page(salesPage)).toMatchObject({ kind: 'page' })
      engine.execute('north', `drop view ${view}; alter table ${view}_kept rename to ${view}`)
    })

    it('tells right rows or none when its connections die under load', async () => {
      const expected = await sales.page(salesPage)
      let done = false
      const killing = (async () => {
        for (let round = 0; round < 5; round += 1) {
          await new Promise((resolve) => setTimeout(resolve, 60))
          for (const { pid } of connectionsOf(gateway)) process.kill(pid, 'SIGKILL')
        }
        done = true
      })()
      const outcomes: Record<string, number> = {}
      const work = async () => {
        while (!done) {
          const answer = await sales.page(salesPage)
          outcomes[answer.kind] = (outcomes[answer.kind] ?? 0) + 1
          if (answer.kind === 'page') expect(answer).toEqual(expected)
        }
      }
      await Promise.all([killing, ...Array.from({ length: 6 }, work)])
      expect(outcomes.page).toBeGreaterThan(0)
      // After a connection that could not be opened there is a short pause.
      await expect.poll(() => sales.page(salesPage)).toEqual(expected)
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
      // A page without the row is none the worse.
      expect(await sales.page({ ...salesPage, limit: 2 })).toMatchObject({ kind: 'page' })
      await engine.write('north', 'pos-transactions', transactions)
      expect(await sales.page(salesPage)).toMatchObject({ kind: 'page' })
    })

    it('reads what it does not know as unknown, and local times where no UTC was recorded', async () => {
      const isShared = engine.tie('north').kind === 'odbc_shared'
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
      const strict = await startGateway(engine.sources({ listRowsMax: 2 }))
      const asked = await sourcesOf(strict).open(source).page(salesPage)
      await strict.stop()
      expect(asked).toMatchObject({
        kind: 'unavailable',
        reason: expect.stringContaining('more lines') as string,
      })
    })

    it('takes the secret before, too, while it is being changed', async () => {
      const next = 'the next secret, which nobody has seen'
      const environment = { POS_GATEWAY_SECRET: next, POS_GATEWAY_SECRET_PREVIOUS: GATEWAY_SECRET }
      const rotating = await startGateway(engine.sources(), environment)
      const ask = (secret: string) => sourcesOf(rotating, { secret }).open(source).page(salesPage)
      expect([(await ask(next)).kind, (await ask(GATEWAY_SECRET)).kind]).toEqual(['page', 'page'])
      expect(await ask('another secret that is long enough')).toMatchObject({
        kind: 'unavailable',
        reason: 'The POS gateway refused the signature: the two secrets differ.',
      })
      await rotating.stop()
    })

    it('finishes what it is doing when it is told to stop, and leaves nothing behind', async () => {
      const stopping = await startGateway(engine.sources())
      const client = sourcesOf(stopping).open(source)
      await client.page(salesPage)
      const tree = processTree(stopping.process.pid ?? 0)
      expect(tree.length).toBeGreaterThan(1)
      const [answer, exitCode] = await Promise.all([client.page(salesPage), stopping.stop()])
      // It was either answered or never taken up, as a connection that is refused.
      expect(answer.kind === 'page' || answer.reason.includes('cannot be reached')).toBe(true)
      expect(exitCode).toBe(0)
      expect(stillRunning(tree.map(({ pid }) => pid))).toEqual([])
    })

    it('leaves nothing behind when it is killed', async () => {
      const killed = await startGateway(engine.sources())
      await sourcesOf(killed).open(source).page(salesPage)
      const pids = processTree(killed.process.pid ?? 0).map(({ pid }) => pid)
      expect(pids.length).toBeGreaterThan(1)
      killed.process.kill('SIGKILL')
      await expect.poll(() => stillRunning(pids), { timeout: 10_000 }).toEqual([])
    })
  },
)

/** A view in the place of a table, which takes longer than anyone waits; the table is kept under another name. */
function slowView(table: string, engine: PosEngine): string {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n'
  const wait = engine.name.includes('psql') ? 'select 1 from pg_sleep(30)' : endless
  return `alter table ${table} rename to ${table}_kept;
    create view ${table} as select * from ${table}_kept where (${wait}) is not null`
}

function connectionsOf({ process: { pid } }: RunningGateway) {
  return processTree(pid ?? 0).filter(({ command }) => command.includes('connection-process'))
}

describe('a gateway that is configured wrongly', () => {
  it.each<[string, unknown, Readonly<Record<string, string>> | undefined, string]>([
    ['no JSON', 'nonsense', undefined, 'The configuration is no JSON'],
    ['no secret', { sources: [] }, {}, 'POS_GATEWAY_SECRET'],
    [
      'no such database',
      { sources: [{ kind: 'odbc_shared', driver: 'sqlite', file: '/missing.sqlite', currency: 'USD' }] },
      undefined,
      'sources[0].file is no file',
    ],
  ])('does not start: %s', async (_name, config, environment, problem) => {
    const child = spawnGateway(config, environment)
    let complaint = ''
    child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    await once(child, 'close')
    expect(child.exitCode).toBe(1)
    expect(complaint).toContain(problem)
    expect(complaint).not.toContain(GATEWAY_SECRET)
  })
})
