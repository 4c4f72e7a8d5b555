import type { Connection } from './connection.ts'
import { DatabaseError, GatewayError } from './errors.ts'
import { createSlots, deadlineExceeded } from './slots.ts'

export interface PoolOptions {
  /** Opens a connection; rejects with a `DatabaseError`. */
  readonly open: (signal: AbortSignal) => Promise<Connection>
  /** Most connections at once. */
  readonly size: number
  /** Most connections that one tenant uses at once. */
  readonly tenantMax: number
  /** Most requests that wait for a connection; any more are refused at once. */
  readonly waitersMax: number
  /** How long an unused connection is kept, in milliseconds. */
  readonly idleMs: number
  /** After a connection could not be opened, how long no other is tried, in milliseconds. */
  readonly pauseMs: number
  readonly nowMs: () => number
}

/** The connections to one database. */
export interface Pool {
  /**
   * Lends a connection for a piece of work of a tenant that only reads. Who waits is served by turns among tenants. A connection that fails is given up; where it was an old
   * one, which may have died with its database long ago, the work is done once more on a new one.
   * Rejects with what `work` rejects with, or a `GatewayError`: `busy`, `source_unavailable`, `deadline_exceeded`.
   */
  use<Value>(
    tenant: string,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value>
  /** Whether the last connection that was tried could be opened and used; null before the first. */
  isReady(): boolean | null
  /** Ends every connection. */
  close(): Promise<void>
}

interface Idle {
  readonly connection: Connection
  readonly timer: NodeJS.Timeout
}

/** Makes a pool; it opens nothing before it is used. */
export function createPool(options: PoolOptions): Pool {
  const { open, idleMs, pauseMs, nowMs } = options
  const slots = createSlots(options)
  const idle: Idle[] = []
  const lent = new Set<Connection>()
  let ready: boolean | null = null
  let pausedUntilMs = 0
  let pauseReason: unknown = null
  /** How often a connection was opened: tells a failure that is older than the latest success. */
  let successes = 0

  const takeIdle = (): Connection | null => {
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      clearTimeout(kept.timer)
      if (kept.connection.isAlive()) return kept.connection
    }
    return null
  }

  const keep = (connection: Connection): void => {
    const timer = setTimeout(() => {
      const index = idle.findIndex((each) => each.connection === connection)
      if (index >= 0) idle.splice(index, 1)
      void connection.end()
    }, idleMs)
    timer.unref()
    idle.push({ connection, timer })
  }

  const endIdle = (): Promise<unknown> =>
    Promise.all(
      idle.splice(0).map(({ connection, timer }) => {
        clearTimeout(timer)
        return connection.end()
      }),
    )

  const openNew = async (signal: AbortSignal): Promise<Connection> => {
    if (nowMs() < pausedUntilMs) throw pauseReason
    const before = successes
    try {
      const connection = await open(signal)
      successes += 1
      pausedUntilMs = 0
      return connection
    } catch (error) {
      // Only some failures start the pause: not a timeout, and not an attempt that began before another one succeeded.
      if (!signal.aborted && successes === before) {
        pausedUntilMs = nowMs() + pauseMs
        pauseReason = error
      }
      throw error
    }
  }

  /** One piece of work on one connection; `isNew` tells whether a failure may be blamed on the connection's age. */
  const attempt = async <Value>(
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
    known: Connection | null,
  ): Promise<Value> => {
    const connection = known ?? (await openNew(signal))
    lent.add(connection)
    const abort = () => void connection.end()
    signal.addEventListener('abort', abort)
    try {
      const value = await work(connection)
      keep(connection)
      return value
    } catch (error) {
      if (error instanceof GatewayError && !signal.aborted) keep(connection)
      else await connection.end()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      lent.delete(connection)
    }
  }

  const twice = async <Value>(
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> => {
    const known = takeIdle()
    try {
      return await attempt(signal, work, known)
    } catch (error) {
      if (known === null || signal.aborted || !(error instanceof DatabaseError)) throw error
      // The other idle connections are as old as this one, so they are closed too instead of failing one by one.
      await endIdle()
      return attempt(signal, work, null)
    }
  }

  return {
    async use(tenant, signal, work) {
      await slots.take(tenant, signal)
      try {
        const value = await twice(signal, work)
        ready = true
        return value
      } catch (error) {
        if (signal.aborted) throw deadlineExceeded()
        if (error instanceof DatabaseError) ready = false
        throw error
      } finally {
        slots.give(tenant)
      }
    },
    isReady: () => ready,
    async close() {
      await Promise.all([endIdle(), ...[...lent].map((connection) => connection.end())])
    },
  }
}
