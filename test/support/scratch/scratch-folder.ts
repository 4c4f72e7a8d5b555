import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from '../runner/after-file.ts'

/** A new folder outside the project, which is deleted at the end of the test file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'))
  afterFile(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/**
 * Writes files into a folder, which is a new one unless it is given: texts and bytes as they are, and anything else as
 * JSON over several lines. Returns their paths.
 */
export function scratchFiles(folder = scratchFolder()): (name: string, content: unknown) => string {
  return (name, content) => {
    const path = join(folder, name)
    const isWritten = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(path, isWritten ? content : JSON.stringify(content, null, 2))
    return path
  }
}
