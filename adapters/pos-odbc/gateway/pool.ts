import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Statement } from '../../sql/statement.ts'
import type { ConnectionSettings } from './drivers.ts'
import { ConnectionFault, DatabaseError, GatewayError } from './errors.ts'
import type { RecordedRow } from './tables.ts'

/** A database connection in a process of its own. It runs one statement at a time. */
export interface Connection {
  /**
   * Rejects with a `DatabaseError`: what the database said, or state `ended` when the process is gone. Rejects with a
   * `ConnectionFault` when this program made a mistake in that process.
   */
  query(statement: Statement): Promise<readonly RecordedRow[]>
  /** Whether the process is still running. */
  isAlive(): boolean
  /** Ends the process and the statement that it may be running. Resolves when the process is gone. */
  end(): Promise<void>
}

/**
 * Starts a process and opens a connection in it.
 * @param signal ends the process when it aborts before the connection is open
 */
export async function openConnection(settings: ConnectionSettings, signal: AbortSignal): Promise<Connection> {
  const child = fork(fileURLToPath(new URL('./connection-process.ts', import.meta.url)), [], {
    // A driver's output may quote a row or a password, so it is not passed on.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const connection = connectionOf(child)
  const abort = () => void connection.end()
  signal.addEventListener('abort', abort)
  try {
    if (signal.aborted) throw new DatabaseError('ended', 'The deadline had passed')
    await ask(child, { kind: 'open', settings })
    return connection
  } catch (error) {
    await connection.end()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** What the gateway tells a process that holds a connection: first to open it, then one statement at a time. */
export type ToConnection =
  | { readonly kind: 'open'; readonly settings: ConnectionSettings }
  | { readonly kind: 'query'; readonly statement: Statement }

/** The answers of that process, one to each message, in order. A fault is a mistake of this program. */
export type FromConnection =
  | { readonly kind: 'rows'; readonly rows: readonly RecordedRow[] }
  | { readonly kind: 'failed'; readonly state: string; readonly message: string }
  | { readonly kind: 'fault'; readonly name: string; readonly place: string }

function connectionOf(child: ChildProcess): Connection {
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve()
    })
    // A process that could not be started emits no `exit` event.
    child.once('error', () => {
      if (child.pid === undefined) resolve()
    })
  })
  return {
    query: (statement) => ask(child, { kind: 'query', statement }),
    isAlive: () => !child.killed && child.exitCode === null && child.signalCode === null && child.connected,
    end() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

/** Sends a message and waits for its answer, or for the end of the process. */
function ask(child: ChildProcess, message: ToConnection): Promise<readonly RecordedRow[]> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      child.off('message', onMessage)
      child.off('exit', onEnd)
      child.off('error', onEnd)
      act()
    }
    const onMessage = (reply: FromConnection) => {
      settle(() => {
        if (reply.kind === 'rows') resolve(reply.rows)
        else reject(errorOf(reply))
      })
    }
    const onEnd = () => {
      settle(() => {
        reject(new DatabaseError('ended', 'The process that holds the connection has ended'))
      })
    }
    child.on('message', onMessage)
    child.once('exit', onEnd)
    child.once('error', onEnd)
    if (child.exitCode !== null || child.signalCode !== null) {
      onEnd()
      return
    }
    child.send(message, (error) => {
      if (error !== null) onEnd()
    })
  })
}

function errorOf(reply: Exclude<FromConnection, { kind: 'rows' }>): Error {
  return reply.kind === 'failed'
    ? new DatabaseError(reply.state, reply.message)
    : new ConnectionFault(reply.name, reply.place)
}

export interface PoolOptions {
  /** Opens a connection. Rejects with a `DatabaseError`, or a `ConnectionFault` for a mistake in its process. */
  readonly open: (signal: AbortSignal) => Promise<Connection>
  /** The maximum number of connections at once. */
  readonly size: number
  /** The maximum number of connections that one tenant uses at once. */
  readonly tenantMax: number
  /** The maximum number of requests that wait for a connection; any more are refused at once. */
  readonly waitersMax: number
  /** How long a connection may take to open, in milliseconds, whatever becomes of the request that it is opened for. */
  readonly openMs: number
  /** How long an unused connection is kept, in milliseconds. */
  readonly idleMs: number
  /** After a connection could not be opened, for how many milliseconds no other is attempted. */
  readonly pauseMs: number
  readonly nowMs: () => number
}

/** The connections to one database. */
export interface Pool {
  /**
   * Lends a connection for a piece of work of a tenant, which must only read. When connections are scarce, tenants take
   * turns. A connection that opens only after the signal has aborted is kept for others: where a request may take less time
   * than opening does, a later one finds it. One that fails is discarded. If it was an old one, which may have lost its
   * database long ago, the work is run once more on a new connection. Rejects with what `work` rejects with, or with a
   * `GatewayError`: `busy`, `source_unavailable`, `deadline_exceeded`.
   */
  use<Value>(
    tenant: string,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value>
  /** Whether the latest attempt to open and use a connection succeeded; null before the first. */
  isReady(): boolean | null
  /** Ends every connection. */
  close(): Promise<void>
}

/** Makes a pool; it opens nothing before it is used. */
export function createPool(options: PoolOptions): Pool {
  const slots = createSlots(options)
  const idle = createIdle(options.idleMs)
  const opener = createOpener(options)
  const lent = new Set<Connection>()
  let ready: boolean | null = null

  /** Opens a connection for a request. Once its signal aborts, the opening goes on without it, in the request's slot. */
  const openFor = async (asked: Asked): Promise<Connection> => {
    const { signal } = asked
    const opening = opener.open()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = () => {
      reject(deadlineExceeded())
    }
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      return await Promise.race([opening, aborted])
    } catch (error) {
      if (signal.aborted) asked.busyUntil = opening.then(idle.keep, () => undefined)
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Runs one piece of work on one connection; `known` is an idle connection to reuse, or null for a new one. */
  const attempt = async <Value>(
    asked: Asked,
    work: (connection: Connection) => Promise<Value>,
    known: Connection | null,
  ): Promise<Value> => {
    const { signal } = asked
    const connection = known ?? (await openFor(asked))
    lent.add(connection)
    const abort = () => void connection.end()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const value = await work(connection)
      idle.keep(connection)
      return value
    } catch (error) {
      if (error instanceof GatewayError && !signal.aborted) idle.keep(connection)
      else await connection.end()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      lent.delete(connection)
    }
  }

  const twice = async <Value>(
    asked: Asked,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> => {
    const known = idle.take()
    try {
      return await attempt(asked, work, known)
    } catch (error) {
      if (known === null || asked.signal.aborted || !isOfConnection(error)) throw error
      // The other idle connections are as old as this one, so they are closed too instead of failing one by one.
      await idle.end()
      return attempt(asked, work, null)
    }
  }

  return {
    async use(tenant, signal, work) {
      await slots.take(tenant, signal)
      const asked: Asked = { signal, busyUntil: null }
      try {
        const value = await twice(asked, work)
        ready = true
        return value
      } catch (error) {
        if (signal.aborted) throw deadlineExceeded()
        if (isOfConnection(error)) ready = false
        throw error
      } finally {
        const give = () => {
          slots.give(tenant)
        }
        if (asked.busyUntil === null) give()
        else void asked.busyUntil.then(give)
      }
    },
    isReady: () => ready,
    async close() {
      await Promise.all([opener.end(), ...[...lent].map((connection) => connection.end())])
      // What was opening at the same moment is idle by now.
      await idle.end()
    },
  }
}

/** A request for a connection. It gives up when its signal aborts. */
interface Asked {
  readonly signal: AbortSignal
  /** The end of an opening that goes on after its request has given up, and keeps its slot until then; null: there is none. */
  busyUntil: Promise<void> | null
}

/** Whether a connection or its process failed. A `GatewayError` says nothing against the connection. */
function isOfConnection(error: unknown): boolean {
  return error instanceof DatabaseError || error instanceof ConnectionFault
}

/** The connections that nobody uses now. Each is kept for a while, and then ended. */
function createIdle(idleMs: number) {
  const kept: { readonly connection: Connection; readonly timer: NodeJS.Timeout }[] = []
  return {
    /** The connection that was used last, if it still lives; null: there is none. */
    take(): Connection | null {
      for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
        clearTimeout(last.timer)
        if (last.connection.isAlive()) return last.connection
      }
      return null
    },
    keep(connection: Connection): void {
      const timer = setTimeout(() => {
        const index = kept.findIndex((each) => each.connection === connection)
        if (index >= 0) kept.splice(index, 1)
        void connection.end()
      }, idleMs)
      timer.unref()
      kept.push({ connection, timer })
    },
    async end(): Promise<void> {
      await Promise.all(
        kept.splice(0).map(({ connection, timer }) => {
          clearTimeout(timer)
          return connection.end()
        }),
      )
    },
  }
}

/** Opens connections. After a failure it pauses: until then, every attempt fails with that same failure. */
function createOpener({ open, openMs, pauseMs, nowMs }: PoolOptions) {
  const running = new Map<AbortController, Promise<Connection>>()
  let pausedUntilMs = 0
  let pauseReason: unknown = null
  /** How many connections have been opened: a failed attempt sees by it whether another succeeded meanwhile. */
  let successes = 0

  const attempt = async (signal: AbortSignal): Promise<Connection> => {
    const before = successes
    try {
      const connection = await open(signal)
      successes += 1
      pausedUntilMs = 0
      return connection
    } catch (error) {
      // An attempt that began before another one succeeded does not start the pause.
      if (successes === before) {
        pausedUntilMs = nowMs() + pauseMs
        pauseReason = error
      }
      throw error
    }
  }

  return {
    async open(): Promise<Connection> {
      if (nowMs() < pausedUntilMs) throw pauseReason
      const controller = new AbortController()
      const timer = setTimeout(() => {
        controller.abort()
      }, openMs)
      const opening = attempt(controller.signal)
      running.set(controller, opening)
      try {
        return await opening
      } finally {
        clearTimeout(timer)
        running.delete(controller)
      }
    },
    /** Ends what is opening, and resolves when that has ended. */
    async end(): Promise<void> {
      for (const controller of running.keys()) controller.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** The right to use a connection, shared out among tenants. */
interface Slots {
  /**
   * Takes a slot, or waits for one. Rejects with a `GatewayError`: `busy`, or `deadline_exceeded` once the signal
   * aborts.
   */
  take(tenant: string, signal: AbortSignal): Promise<void>
  give(tenant: string): void
}

/**
 * A counting semaphore for several tenants. A free slot goes to the waiting tenant that holds the fewest; tenants that
 * hold as few take turns. Where too many wait, those of the tenant with the most waiting requests are refused.
 */
function createSlots({ size, tenantMax, waitersMax }: PoolOptions): Slots {
  let waiters: readonly Waiter[] = []
  const held = new Map<string, number>()
  let free = size
  const heldBy = (tenant: string) => held.get(tenant) ?? 0
  const waitingOf = (tenant: string) => waiters.filter((waiter) => waiter.tenant === tenant).length

  const hold = (tenant: string): void => {
    free -= 1
    held.set(tenant, heldBy(tenant) + 1)
  }

  const leave = (leaving: Waiter): void => {
    waiters = waiters.filter((waiter) => waiter !== leaving)
  }

  /**
   * Refuses the latest request of the tenant with the most waiting requests. Throws `busy` when no tenant would still
   * have more of them than the given one.
   */
  const makeRoomFor = (tenant: string): void => {
    const crowd = waiters.reduce((most, each) => Math.max(most, waitingOf(each.tenant)), 0)
    const busy = new GatewayError('busy', 'Too many requests wait for this source')
    const last = waiters.findLast((each) => waitingOf(each.tenant) === crowd)
    if (last === undefined || crowd <= waitingOf(tenant) + 1) throw busy
    leave(last)
    last.refuse(busy)
  }

  const next = (): Waiter | undefined => {
    const eligible = waiters.filter(({ tenant }) => heldBy(tenant) < tenantMax)
    const fewest = Math.min(...eligible.map(({ tenant }) => heldBy(tenant)))
    return eligible.find(({ tenant }) => heldBy(tenant) === fewest)
  }

  return {
    async take(tenant, signal) {
      if (signal.aborted) throw deadlineExceeded()
      if (free > 0 && heldBy(tenant) < tenantMax) {
        hold(tenant)
        return
      }
      if (waiters.length >= waitersMax) makeRoomFor(tenant)
      const waiter = createWaiter(tenant, signal, leave)
      waiters = [...waiters, waiter]
      await waiter.turn
    },
    give(tenant) {
      free += 1
      if (heldBy(tenant) === 1) held.delete(tenant)
      else held.set(tenant, heldBy(tenant) - 1)
      const waiter = next()
      if (waiter === undefined) return
      leave(waiter)
      // The tenant's other requests go to the end of the line, so that tenants take turns.
      const isSame = (each: Waiter) => each.tenant === waiter.tenant
      waiters = [...waiters.filter((each) => !isSame(each)), ...waiters.filter(isSame)]
      hold(waiter.tenant)
      waiter.proceed()
    },
  }
}

/** A request that waits for a slot. */
interface Waiter {
  readonly tenant: string
  /** Resolves when the request may go on; rejects when it is refused, or when its signal aborts. */
  readonly turn: Promise<null>
  readonly proceed: () => void
  readonly refuse: (reason: GatewayError) => void
}

function createWaiter(tenant: string, signal: AbortSignal, leave: (waiter: Waiter) => void): Waiter {
  const { promise: turn, resolve, reject } = Promise.withResolvers<null>()
  const settled = (settle: () => void) => {
    signal.removeEventListener('abort', abort)
    settle()
  }
  const waiter: Waiter = {
    tenant,
    turn,
    proceed: () => {
      settled(() => {
        resolve(null)
      })
    },
    refuse: (reason) => {
      settled(() => {
        reject(reason)
      })
    },
  }
  const abort = () => {
    leave(waiter)
    reject(deadlineExceeded())
  }
  signal.addEventListener('abort', abort, { once: true })
  return waiter
}

/** The refusal of a request that took too long. */
export function deadlineExceeded(): GatewayError {
  return new GatewayError('deadline_exceeded', 'The source did not answer in time')
}
