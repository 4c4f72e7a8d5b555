import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The mode of files that only their owner may read, because they contain secrets or tenants' data. */
export const PRIVATE_MODE = 0o600
export const PRIVATE_DIRECTORY_MODE = 0o700

/** Creates a private file with its content in one step, unless it exists. */
export function createPrivateFile(path: string, content: () => string): void {
  if (readTextFile(path) !== null) return
  const complete = writeBeside(path, content())
  try {
    linkSync(complete, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(complete)
  }
}

/** Writes a private file in one step: readers find either the old content or the complete new one. */
export function writePrivateFile(path: string, content: string): void {
  renameSync(writeBeside(path, content), path)
}

/** The text of a file; null: there is no such file. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function writeBeside(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  const complete = `${path}.${process.pid}`
  rmSync(complete, { force: true })
  writeFileSync(complete, content, { mode: PRIVATE_MODE })
  return complete
}
