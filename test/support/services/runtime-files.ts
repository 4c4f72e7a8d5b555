import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder in which Linux keeps files in memory. Containers may provide very little space there. */
const MEMORY = '/dev/shm'
const FREE_MIN_BYTES = 2 ** 31
const OURS = 'tenant-data-api-'
/** The age after which a folder is deleted. No run of the tests takes that long. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * A new folder for the databases of a runtime. It is in memory if there is enough: the databases are not needed after
 * the test, and on a disk every commit would wait for it.
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

/** Deletes the folders of runs that were killed. */
function removeForgotten(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(OURS)) continue
    const path = join(MEMORY, name)
    const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - modifiedMs > FORGOTTEN_AFTER_MS) rmSync(path, { recursive: true, force: true })
  }
}
