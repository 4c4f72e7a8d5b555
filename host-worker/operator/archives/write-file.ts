import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ChangedMeanwhile, writeArchive } from '../../../domain/whole/archive/write-archive.ts'
import type { ArchiveSource } from '../../../domain/whole/archive/source.ts'
import { CommandError } from '../client/errors.ts'
import { openNodeDigest } from './sources.ts'

/** How often an archive is begun, when the organization keeps changing. */
const TRIES_MAX = 10

type Bytes = Uint8Array<ArrayBuffer>

/** What is done with the bytes of an archive on their way into its file. */
export type Seal = (archive: AsyncIterable<Bytes>) => AsyncIterable<Uint8Array>

export interface ArchiveFile {
  readonly path: string
  readonly source: ArchiveSource
  readonly seal?: Seal
  readonly note: (line: string) => void
  readonly onProgress: (label: string, rows: number) => void
}

/**
 * Writes the archive of an organization into a file that only its owner may read. The file appears when the archive is
 * complete; an earlier file of that name stays until then. Two commands may write the same file: the later one wins.
 * @returns how many rows it has
 */
export async function writeArchiveFile({
  path,
  source,
  seal = (archive) => archive,
  note,
  onProgress,
}: ArchiveFile): Promise<number> {
  // A device would be replaced by the file.
  const there = await stat(path).catch(() => null)
  if (there?.isFile() === false) throw new CommandError(`${path} is there, and is no file. Name another one.`)
  await removeUnfinished(path)
  const unfinished = unfinishedOf(path, process.pid)
  for (let tries = 1; ; tries += 1) {
    try {
      const rows = await writeOnce(unfinished, source, seal, onProgress)
      await rename(unfinished, path)
      return rows
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined)
      if (error instanceof Error && 'syscall' in error)
        throw new CommandError(`${path} was not written. ${error.message}.`, { cause: error })
      if (!(error instanceof ChangedMeanwhile)) throw error
      if (tries === TRIES_MAX)
        throw new CommandError(
          `The organization was changed during each of ${TRIES_MAX} attempts, so that no attempt is one state of it. Try again when less is written.`,
        )
      note('The organization was changed meanwhile: started again.')
    }
  }
}

/** The file into which a process writes, until it is complete. */
function unfinishedOf(path: string, pid: number): string {
  return `${path}.${pid}.unfinished`
}

/** Removes what commands have left behind that were killed. */
async function removeUnfinished(path: string): Promise<void> {
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const file = join(dirname(path), name)
    const pid = Number(/\.(\d+)\.unfinished$/.exec(name)?.[1])
    if (file === unfinishedOf(join(dirname(path), basename(path)), pid) && !isRunning(pid))
      await rm(file, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process cannot be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function writeOnce(
  path: string,
  source: ArchiveSource,
  seal: Seal,
  onProgress: ArchiveFile['onProgress'],
): Promise<number> {
  const file = await open(path, 'w', 0o600)
  let written = 0
  try {
    const archive = writeArchive({
      source,
      openDigest: openNodeDigest,
      onProgress: (pass, rows) => {
        if (pass === 'writing') written = rows
        onProgress(pass === 'measuring' ? 'Reading' : 'Writing', rows)
      },
    })
    for await (const bytes of seal(archive)) await file.writeFile(bytes)
    await file.sync()
    return written
  } finally {
    await file.close()
  }
}
