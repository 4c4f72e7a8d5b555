import { rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { parsedOr } from '../../domain/text/json.ts'
import { readTextFile, writePrivateFile } from './private-files.ts'

/** The service that is running on a state directory. */
export interface RunningService {
  readonly url: string
  /** The process that runs it. */
  readonly pid: number
}

const Written = v.object({ url: v.string(), pid: v.pipe(v.number(), v.integer(), v.minValue(1)) })

const BEAT_MS = 2_000
const STALE_MS = 20_000

/**
 * Announces that this process runs a service on a state directory, so that commands find it. The announcement is a file
 * whose time is updated continually. A process that was killed leaves the file behind, and its process id may soon
 * belong to another process, so only a recent file counts.
 * @returns a function that ends the announcement and removes the file
 */
export function announceService(directory: string, url: string): () => void {
  const path = servicePath(directory)
  const { pid } = process
  writePrivateFile(path, `${JSON.stringify({ url, pid })}\n`)
  const beat = setInterval(() => {
    touch(path)
  }, BEAT_MS)
  beat.unref()
  return () => {
    clearInterval(beat)
    // Meanwhile another service may have been announced on the same directory.
    if (writtenIn(path)?.pid === pid) rmSync(path, { force: true })
  }
}

/**
 * The service that is announced on a state directory; null: there is none, or it was killed. Throws when the
 * announcement cannot be read.
 */
export function announcedService(directory: string): RunningService | null {
  const path = servicePath(directory)
  const written = writtenIn(path)
  return written !== null && isAlive(written.pid) && isFresh(path) ? written : null
}

function servicePath(directory: string): string {
  return join(directory, 'service.json')
}

function writtenIn(path: string): RunningService | null {
  const written = v.safeParse(Written, parsedOr(readTextFile(path) ?? '', null))
  return written.success ? written.output : null
}

function isFresh(path: string): boolean {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return modified !== undefined && Date.now() - modified < STALE_MS
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // The state directory was removed while the service was running, so later commands find no service.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
