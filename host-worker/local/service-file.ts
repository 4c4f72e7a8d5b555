import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { readTextFile, writePrivateFile } from './private-files.ts'

/** The service that runs on a state directory. */
export interface RunningService {
  readonly url: string
  /** The process that runs it, and removes this when it ends. */
  readonly pid: number
}

const Written = v.object({ url: v.string(), pid: v.pipe(v.number(), v.integer(), v.minValue(1)) })

/** Says that a service runs on a state directory, so that commands find it. */
export function writeServiceFile(directory: string, service: RunningService): void {
  writePrivateFile(servicePath(directory), `${JSON.stringify(service)}\n`)
}

/**
 * The service that a process of this machine says to run on a state directory; null: there is none. A process that was
 * killed leaves its file behind: it counts for nothing once that process is gone.
 */
export function readServiceFile(directory: string): RunningService | null {
  const text = readTextFile(servicePath(directory))
  const reading = v.safeParse(Written, parsedJson(text ?? ''))
  return reading.success && isAlive(reading.output.pid) ? reading.output : null
}

/** Removes the file again, unless another process wrote a new one meanwhile. */
export function removeServiceFile(directory: string, { pid }: Pick<RunningService, 'pid'>): void {
  const text = readTextFile(servicePath(directory))
  const reading = v.safeParse(Written, parsedJson(text ?? ''))
  if (reading.success && reading.output.pid === pid) rmSync(servicePath(directory), { force: true })
}

function servicePath(directory: string): string {
  return join(directory, 'service.json')
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
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
