import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatOfName, importFormats, type ImportSource } from '../../../domain/imports/file/transfer.ts'
import type { ImportFormat } from '../../../ports/import-sessions.ts'
import { CommandError, UsageError } from '../client/call-service.ts'
import type { FlagValues } from '../../../domain/record/command.ts'
import { textOf } from '../command.ts'

/** A file to import. It can be read any number of times. */
interface ImportFile {
  readonly source: ImportSource
  readonly format: ImportFormat
}

const READ_BYTES = 256 * 1024

/** Opens a file by its path. Its format is given by `--format`, or else by the extension, or else it is NDJSON. */
export function openImportFile(path: string, values: FlagValues): ImportFile {
  const absolute = givenPath(path)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (stats === undefined) throw new CommandError(`There is no file ${path}.`)
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: it must be readable twice.`)
  const source = { open: () => createReadStream(absolute, { highWaterMark: READ_BYTES }) }
  return { source, format: formatOf(path, textOf(values, 'format')) }
}

/**
 * The absolute path for a path that a person gave. npm runs scripts in the project's root, but a relative path refers
 * to the directory in which npm was called.
 */
export function givenPath(path: string): string {
  const from = process.env.npm_lifecycle_event === 'operator' ? process.env.INIT_CWD : undefined
  return resolve(from ?? '.', path)
}

function formatOf(path: string, given: string | undefined): ImportFormat {
  if (given === undefined) return formatOfName(path)
  const format = importFormats.find((known) => known === given)
  if (format === undefined) throw new UsageError(`--format must be ${importFormats.join(' or ')}`)
  return format
}
