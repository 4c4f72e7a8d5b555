import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { parsedOr } from '../../domain/text/encoding.ts'
import { fileLockHolder, tryFileLock } from '../launch/file-lock.mjs'

/** The program that runs a service on a state directory. */
interface StateHolder {
  /** Where the service serves, or will serve; null: it is the service of a command, for that command alone. */
  readonly url: string | null
  /** Whether commands may use the service. */
  readonly isServing: boolean
}

const Said = v.object({ url: v.nullable(v.string()), isServing: v.boolean() })

/** A state directory on which no other program starts a service until it is released. */
export interface HeldState {
  /** Lets commands find the service at its URL. */
  announce(): void
  /**
   * Resolves when a service whose program was killed on this directory is gone: its processes notice that a moment
   * later, and until then they use the same databases.
   */
  predecessorEnded(): Promise<void>
  release(): void
}

/** A killed program's service ends within this time: its supervisor kills what has not ended by itself after 5 s. */
const PREDECESSOR_MAX_MS = 7_000
const POLL_MS = 50

/**
 * Holds a state directory for the one service that may run on it at a time. Null: another program, or this one, holds it
 * already.
 * @param url where the service will serve; null: it is for the caller alone
 */
export function holdState(directory: string, url: string | null): HeldState | null {
  const said = (isServing: boolean) => JSON.stringify({ url, isServing } satisfies StateHolder)
  const lock = tryFileLock(lockPath(directory), said(false))
  if (lock === null) return null
  return {
    announce: () => {
      lock.say(said(true))
    },
    predecessorEnded: async () => {
      const port = Number(URL.parse(heard(lock.left)?.url ?? '')?.port ?? 0)
      const giveUpAtMs = performance.now() + PREDECESSOR_MAX_MS
      while (port > 0 && performance.now() < giveUpAtMs && !(await isPortFree(port))) await pause(POLL_MS)
    },
    release: () => {
      lock.release()
    },
  }
}

/** Who holds a state directory; null: nobody, whatever a killed program left behind. Throws when that cannot be read. */
export function stateHolder(directory: string): StateHolder | null {
  return heard(fileLockHolder(lockPath(directory))?.text ?? null)
}

/** The URL of the service that commands can use on a state directory; null: there is none. Throws as `stateHolder`. */
export function announcedService(directory: string): string | null {
  const holder = stateHolder(directory)
  return holder?.isServing === true ? holder.url : null
}

function lockPath(directory: string): string {
  return join(directory, 'service')
}

function heard(text: string | null): StateHolder | null {
  const said = v.safeParse(Said, parsedOr(text ?? '', null))
  return said.success ? said.output : null
}

/** Whether no program listens on this port of the loopback interface. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null
}

/** The preferred port when it is free, else any free one of the loopback interface. */
export async function portNear(preferred: number): Promise<number> {
  const found = preferred <= 65_535 ? await tryPort(preferred) : null
  return found ?? (await tryPort(0)) ?? preferred
}

/** Takes a port of the loopback interface for a moment; 0: any that is free. Null: it is in use. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(null)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : null)
      })
    })
  })
}
