import { expect, it } from 'vitest'
import { virtualTime, type VirtualTime } from '../../../test/support/runner/virtual-time.ts'
import { type Connection, createPool, type Pool, type PoolOptions } from './pool.ts'
import { ConnectionFault, DatabaseError, GatewayError } from './errors.ts'

interface FakeConnection extends Connection {
  readonly number: number
  ended: boolean
}

/** A fake database for the pool's connections; `isUp` decides whether they open and answer. */
function fakeDatabase() {
  const state = { isUp: true, nowMs: 0, opened: [] as FakeConnection[], attempts: 0 }
  const open: PoolOptions['open'] = () => {
    state.attempts += 1
    if (!state.isUp) return Promise.reject(new DatabaseError('08001', 'down'))
    const connection: FakeConnection = {
      number: state.opened.length,
      ended: false,
      query: () =>
        state.isUp && !connection.ended
          ? Promise.resolve([])
          : Promise.reject(new DatabaseError('57P01', 'gone')),
      isAlive: () => !connection.ended,
      end() {
        connection.ended = true
        return Promise.resolve()
      },
    }
    state.opened.push(connection)
    return Promise.resolve(connection)
  }
  return { state, open }
}

function poolOn(database: ReturnType<typeof fakeDatabase>, changes: Partial<PoolOptions> = {}): Pool {
  return createPool({
    open: database.open,
    size: 2,
    tenantMax: 2,
    waitersMax: 10,
    openMs: 60_000,
    idleMs: 60_000,
    pauseMs: 250,
    nowMs: () => database.state.nowMs,
    ...changes,
  })
}

const forever = new AbortController().signal
const query = (connection: Connection) => connection.query({ sql: 'select 1', parameters: [] })
const numberOf = (connection: Connection) => Promise.resolve((connection as FakeConnection).number)

function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof GatewayError) return error.code
      return error instanceof DatabaseError ? error.state : String(error)
    },
  )
}

it('uses a connection again', async () => {
  const pool = poolOn(fakeDatabase())
  expect(pool.isReady()).toBeNull()
  expect([await pool.use('north', forever, numberOf), await pool.use('north', forever, numberOf)]).toEqual([
    0, 0,
  ])
  expect(pool.isReady()).toBe(true)
})

it('never opens more connections than it may, and serves in turn', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database)
  let busy = 0
  let most = 0
  const order: number[] = []
  const work = (index: number) =>
    pool.use('north', forever, async () => {
      busy += 1
      most = Math.max(most, busy)
      order.push(index)
      await new Promise(setImmediate)
      busy -= 1
    })
  await Promise.all(Array.from({ length: 12 }, (_, index) => work(index)))
  expect(most).toBe(2)
  expect(database.state.opened).toHaveLength(2)
  expect(order).toEqual(Array.from({ length: 12 }, (_, index) => index))
})

it('refuses whoever would wait behind too many', async () => {
  const pool = poolOn(fakeDatabase(), { size: 1, waitersMax: 1 })
  const gate = Promise.withResolvers<undefined>()
  const first = pool.use('north', forever, () => gate.promise)
  const second = pool.use('north', forever, numberOf)
  expect(await codeOf(pool.use('north', forever, numberOf))).toBe('busy')
  gate.resolve(undefined)
  await Promise.all([first, second])
})

it('does the work again on a new connection when an old one has died, and gives up the other old ones', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database)
  await Promise.all([pool.use('north', forever, query), pool.use('north', forever, query)])
  const [first, second] = database.state.opened
  // The database was restarted: both connections are dead, but the pool has not noticed.
  for (const each of [first, second])
    if (each !== undefined) each.query = () => Promise.reject(new DatabaseError('57P01', 'gone'))
  expect(await codeOf(pool.use('north', forever, query))).toBe('ok')
  expect(database.state.opened).toHaveLength(3)
  expect([first?.ended, second?.ended]).toEqual([true, true])
})

it('is not ready after a mistake in the process of a connection, which is replaced', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database)
  await pool.use('north', forever, query)
  const broken = () => Promise.reject(new ConnectionFault('TypeError', 'driver.ts:1:1'))
  expect(await codeOf(pool.use('north', forever, broken))).toBe('TypeError')
  expect([pool.isReady(), database.state.opened.length]).toEqual([false, 2])
  expect(await codeOf(pool.use('north', forever, query))).toBe('ok')
  expect(pool.isReady()).toBe(true)
})

it('fails while the database is down and recovers when it is back', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database)
  await pool.use('north', forever, query)
  database.state.isUp = false
  expect(await codeOf(pool.use('north', forever, query))).toBe('08001')
  expect(pool.isReady()).toBe(false)
  const { attempts } = database.state
  // During the pause after a failure, the pool does not try again.
  expect(await codeOf(pool.use('north', forever, query))).toBe('08001')
  expect(database.state.attempts).toBe(attempts)
  database.state.isUp = true
  database.state.nowMs += 250
  expect(await codeOf(pool.use('north', forever, query))).toBe('ok')
  expect(pool.isReady()).toBe(true)
})

it('is not held back by an attempt that began before the database came back', async () => {
  const database = fakeDatabase()
  const late = Promise.withResolvers<never>()
  let attempts = 0
  const open: PoolOptions['open'] = (signal) => {
    attempts += 1
    return attempts === 1 ? late.promise : database.open(signal)
  }
  const pool = poolOn(database, { open })
  const first = codeOf(pool.use('north', forever, query))
  const held = Promise.withResolvers<undefined>()
  const second = pool.use('north', forever, () => held.promise)
  await Promise.resolve()
  late.reject(new DatabaseError('57P03', 'starting up'))
  expect(await first).toBe('57P03')
  expect(await codeOf(pool.use('north', forever, query))).toBe('ok')
  held.resolve(undefined)
  await second
})

it('keeps a connection that opens after its request has given up, which holds its place until then', async () => {
  const database = fakeDatabase()
  const gate = Promise.withResolvers<undefined>()
  const open: PoolOptions['open'] = async (signal) => {
    await gate.promise
    return database.open(signal)
  }
  const pool = poolOn(database, { open, size: 1 })
  const controller = new AbortController()
  const impatient = codeOf(pool.use('north', controller.signal, query))
  await new Promise(setImmediate)
  controller.abort()
  expect(await impatient).toBe('deadline_exceeded')
  const patient = pool.use('north', forever, numberOf)
  await new Promise(setImmediate)
  expect(database.state.attempts).toBe(0)
  gate.resolve(undefined)
  expect(await patient).toBe(0)
  expect(database.state.attempts).toBe(1)
})

it('ends an opening that takes too long, or that goes on when the pool is closed', async () => {
  const signals: AbortSignal[] = []
  const open: PoolOptions['open'] = (signal) => {
    signals.push(signal)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new DatabaseError('ended', 'ended'))
      })
    })
  }
  const quick = poolOn(fakeDatabase(), { open, openMs: 1 })
  expect(await codeOf(quick.use('north', forever, query))).toBe('ended')
  const pool = poolOn(fakeDatabase(), { open })
  const asked = codeOf(pool.use('north', forever, query))
  await new Promise(setImmediate)
  await pool.close()
  expect(await asked).toBe('ended')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

it('does not do the work again when a new connection fails, nor when the failure is no fault of the connection', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database)
  let runs = 0
  const failing = (error: Error) => () => {
    runs += 1
    return Promise.reject(error)
  }
  expect(await codeOf(pool.use('north', forever, failing(new DatabaseError('42P01', 'no table'))))).toBe(
    '42P01',
  )
  expect(runs).toBe(1)
  await pool.use('north', forever, query)
  expect(await codeOf(pool.use('north', forever, failing(new GatewayError('unreadable_row', 'x'))))).toBe(
    'unreadable_row',
  )
  expect(runs).toBe(2)
  // The connection was kept in the pool.
  expect(await pool.use('north', forever, numberOf)).toBe(1)
})

it('ends the connection of work that takes too long, and frees its place', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database, { size: 1 })
  const controller = new AbortController()
  const stuck = pool.use('north', controller.signal, (connection) => {
    const gate = Promise.withResolvers<undefined>()
    const end = connection.end.bind(connection)
    connection.end = () => {
      gate.reject(new DatabaseError('ended', 'ended'))
      return end()
    }
    return gate.promise
  })
  const waiting = new AbortController()
  const waiter = codeOf(pool.use('north', waiting.signal, numberOf))
  await new Promise(setImmediate)
  waiting.abort()
  expect(await waiter).toBe('deadline_exceeded')
  controller.abort()
  expect(await codeOf(stuck)).toBe('deadline_exceeded')
  expect(database.state.opened[0]?.ended).toBe(true)
  expect(await pool.use('north', forever, numberOf)).toBe(1)
})

it('ends every connection when it is closed, and idle ones after a while', async () => {
  const database = fakeDatabase()
  const pool = poolOn(database, { idleMs: 1 })
  await pool.use('north', forever, query)
  await expect.poll(() => database.state.opened[0]?.ended).toBe(true)
  await pool.use('north', forever, query)
  await pool.close()
  expect(database.state.opened.map(({ ended }) => ended)).toEqual([true, true])
})

/**
 * Sends requests to a fake database that takes one second for each. Returns the second at which each one ended, or the
 * code of its error, with its tenant, in the order in which they end.
 */
async function served(pool: Pool, time: VirtualTime, tenants: readonly string[]): Promise<readonly string[]> {
  const ends: string[] = []
  const ask = (tenant: string) =>
    pool
      .use(tenant, forever, async () => {
        await time.after(1_000)
        ends.push(`${(time.clock.nowMs() - startMs) / 1000} ${tenant}`)
      })
      .catch((error: unknown) => ends.push(`${codeOfError(error)} ${tenant}`))
  const startMs = time.clock.nowMs()
  await time.run(Promise.all(tenants.map(ask)))
  return ends
}

function codeOfError(error: unknown): string {
  return error instanceof GatewayError ? error.code : String(error)
}

it('keeps a connection free of a tenant that asks for all of them', async () => {
  const pool = poolOn(fakeDatabase(), { size: 4, tenantMax: 3 })
  const crowd = Array.from({ length: 10 }, () => 'crowd')
  const ends = await served(pool, virtualTime(), [...crowd, 'quiet'])
  expect(ends.slice(0, 4).sort()).toEqual(['1 crowd', '1 crowd', '1 crowd', '1 quiet'])
  expect(ends.at(-1)).toBe('4 crowd')
})

it('serves the tenant that holds the fewest connections first, and by turns those that hold as many', async () => {
  const pool = poolOn(fakeDatabase(), { size: 2, tenantMax: 1 })
  const ends = await served(pool, virtualTime(), ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c'])
  expect(ends).toEqual(['1 a', '1 b', '2 a', '2 b', '3 c', '3 a', '4 c', '4 a'])
  const alone = await served(pool, virtualTime(), ['a', 'a', 'a'])
  expect(alone).toEqual(['1 a', '2 a', '3 a'])
})

it('refuses the latest of whoever waits most where too many wait, so that a crowd keeps nobody out', async () => {
  const pool = poolOn(fakeDatabase(), { size: 2, tenantMax: 1, waitersMax: 4 })
  const ends = await served(pool, virtualTime(), ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b'])
  expect(ends.filter((end) => end.startsWith('busy'))).toEqual(['busy a', 'busy a', 'busy a'])
  expect(ends.filter((end) => end.endsWith('b'))).toEqual(['1 b', '2 b', '3 b'])
})
