import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Statement } from '../../sql/statement.ts'
import type { ConnectionSettings } from './drivers.ts'
import { ConnectionFault, DatabaseError } from './errors.ts'
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
