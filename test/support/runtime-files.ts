import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. A container may give it very little. */
const MEMORY = '/dev/shm'
const FREE_MIN_BYTES = 2 ** 31

/**
 * A new folder for the databases of a runtime. In memory where there is enough of it: nobody needs them after the test, and
 * waiting for a disk at each commit takes a fifth of what the tests on a real D1 take.
 */
export function runtimeFiles(prefix: string): string {
  return mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), prefix))
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= FREE_MIN_BYTES
  } catch {
    return false
  }
}
