import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { CommandError } from '../client/errors.ts'

/** An archive that can be read any number of times, from its beginning. */
export interface StoredArchive {
  /** Its name, for people. */
  readonly name: string
  open(): AsyncIterable<Uint8Array>
}

/** The archive in a file. */
export function archiveInFile(path: string): StoredArchive {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new CommandError(`There is no file ${path}.`)
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: it must be readable twice.`)
  return { name: basename(path), open: () => createReadStream(path, { highWaterMark: 256 * 1024 }) }
}
