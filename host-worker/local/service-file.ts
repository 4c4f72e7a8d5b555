import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { parsedOr } from '../../domain/text/json.ts'
import { isPortFree } from './free-port.ts'
import { readTextFile, writePrivateFile } from './private-files.ts'
import { isLocked, tryLock } from './state-lock.ts'

/** The program that runs a service on a state directory. */
export interface StateHolder {
  /** Where the service serves, or will serve; null: it is the service of a command, for that command alone. */
  readonly url: string | null
  readonly pid: number
  /** Whether commands may use the service. */
  readonly isServing: boolean
}

const Written = v.object({
  url: v.nullable(v.string()),
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  isServing: v.boolean(),
})

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
 * Holds a state directory for the one service that may run on it at a time. The file `service.json` in it says who holds
 * it, and counts for nothing unless the lock beside it is taken. Null: another program, or this one, holds it already.
 * @param url where the service will serve; null: it is for the caller alone
 */
export function holdState(directory: string, url: string | null): HeldState | null {
  const release = tryLock(lockPath(directory))
  if (release === null) return null
  const path = servicePath(directory)
  const predecessor = writtenIn(path)
  const { pid } = process
  const write = (isServing: boolean) => {
    writePrivateFile(path, `${JSON.stringify({ url, pid, isServing } satisfies StateHolder)}\n`)
  }
  write(false)
  return {
    announce: () => {
      write(true)
    },
    predecessorEnded: async () => {
      const port = Number(URL.parse(predecessor?.url ?? '')?.port ?? 0)
      const giveUpAtMs = performance.now() + PREDECESSOR_MAX_MS
      while (port > 0 && performance.now() < giveUpAtMs && !(await isPortFree(port))) await pause(POLL_MS)
    },
    release: () => {
      // The directory may have been removed meanwhile, and made again by another program.
      if (writtenIn(path)?.pid === pid) rmSync(path, { force: true })
      release()
    },
  }
}

/** Who holds a state directory; null: nobody, whatever a killed program left behind. Throws when that cannot be read. */
export function stateHolder(directory: string): StateHolder | null {
  const written = writtenIn(servicePath(directory))
  return written !== null && isLocked(lockPath(directory)) ? written : null
}

/** The URL of the service that commands can use on a state directory; null: there is none. Throws as `stateHolder`. */
export function announcedService(directory: string): string | null {
  const holder = stateHolder(directory)
  return holder?.isServing === true ? holder.url : null
}

function servicePath(directory: string): string {
  return join(directory, 'service.json')
}

function lockPath(directory: string): string {
  return join(directory, 'service-lock.sqlite')
}

function writtenIn(path: string): StateHolder | null {
  const written = v.safeParse(Written, parsedOr(readTextFile(path) ?? '', null))
  return written.success ? written.output : null
}
