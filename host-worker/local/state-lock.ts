import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PRIVATE_MODE } from './private-files.ts'

/** How long taking a lock waits for processes that only look whether it is taken, in ms. */
const GLANCES_MS = 500

/** The locks that this process has. Without a reference, the garbage collector would close a database and free its lock. */
const taken = new Set<DatabaseSync>()

/** SQLite's code for a database that another connection has locked. */
const SQLITE_BUSY = 5

/**
 * Takes a lock for as long as this process lives, or until it is released. Null: it is taken already.
 *
 * The lock is an exclusive transaction on an empty SQLite database. The operating system releases the lock under it when
 * the process ends in any way, `kill -9` included, at that very moment. A file that names its holder cannot do that: it
 * stays behind, its process id may belong to another process by then, and its age says nothing when the machine slept. A
 * socket would have to be named after the directory, and its file stays behind too.
 * @returns a function that releases the lock
 */
export function tryLock(path: string): (() => void) | null {
  // SQLite would create the file with other permissions. An existing file is not opened here, because closing it would
  // release the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_MODE))
  if (isLocked(path)) return null
  const database = new DatabaseSync(path, { timeout: GLANCES_MS })
  if (isRefused(() => database.prepare('BEGIN EXCLUSIVE').run())) {
    database.close()
    return null
  }
  taken.add(database)
  return () => {
    if (taken.delete(database)) database.close()
  }
}

/** Whether any process, this one included, has the lock. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  try {
    return isRefused(() => database.prepare('SELECT 1 FROM sqlite_schema').all())
  } finally {
    database.close()
  }
}

function isRefused(use: () => unknown): boolean {
  try {
    use()
    return false
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return true
    throw error
  }
}
