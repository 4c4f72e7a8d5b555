import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. A container may give it very little. */
const MEMORY = '/dev/shm'
const FREE_MIN_BYTES = 2 ** 31
const OURS = 'tenant-data-api-'
/** No run of the tests takes that long. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * A new folder for the databases of a runtime. In memory where there is enough of it: nobody needs them after the test, and
 * at each commit a test would wait for the disk.
 */
export function runtimeFiles(name: string): string {
  if (!hasRoomInMemory()) return mkdtempSync(join(tmpdir(), `${name}-`))
  removeForgotten()
  return mkdtempSync(join(MEMORY, `${OURS}${name}-`))
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

/** Takes back the memory of runs that were killed. */
function removeForgotten(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(OURS)) continue
    const path = join(MEMORY, name)
    const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - modifiedMs > FORGOTTEN_AFTER_MS) rmSync(path, { recursive: true, force: true })
  }
}
