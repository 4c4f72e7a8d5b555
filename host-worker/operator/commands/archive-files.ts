import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sourceOfFile } from '../command.ts'
import { basename, dirname, join } from 'node:path'
import { beginExport, readExport, type archiveFormat } from '../../../domain/operators/archives.ts'
import { calledSource, ChangedMeanwhile, writeArchive } from '../../../domain/organizations/write-archive.ts'
import {
  tableOfFile,
  rowOfMembers,
  columnsOf,
  type ArchiveSource,
  type Manifest,
  type OrganizationFile,
} from '../../../domain/organizations/archive.ts'
import type { OpenDigest } from '../../../ports/organization-store.ts'
import { CommandError, repeated, itemsOf, type OperatorService } from '../client/call-service.ts'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { ArchiveProblem, readArchive, rowCheck } from '../../../domain/organizations/read-archive.ts'
import type { AnswerTo } from '../../../domain/record/operation.ts'
import { createFolderArchives } from '../../../adapters/archive-folder/index.ts'
import { listBackups, readBackup } from '../../../domain/operators/backups.ts'
import { bytesOfBase64, parsedOr, membersOf } from '../../../domain/text/encoding.ts'
import { backupsIn, readBackupName } from '../../../domain/organizations/backups.ts'

/** An archive that can be read any number of times, from its beginning. */
export interface StoredArchive {
  /** Its name, for people. */
  readonly name: string
  open(): AsyncIterable<Uint8Array>
}

/** The archive in a file. */
export function archiveInFile(path: string): StoredArchive {
  return { name: basename(path), ...sourceOfFile(path) }
}

/** An organization to archive, behind the operator interface. Its head must be read first. */
export function remoteSource(
  service: OperatorService,
  organizationId: string,
  withSecrets: boolean,
): ArchiveSource {
  const params = { organizationId }
  return calledSource({
    begin: () => repeated(() => service.call(beginExport, { params, body: { withSecrets } })),
    read: (body) => repeated(() => service.call(readExport, { params, body })),
  })
}

/** Digests by Node's own implementation. */
export const openNodeDigest: OpenDigest = () => {
  const hash = createHash('sha256')
  return {
    update: async (bytes) => void hash.update(bytes),
    end: async () => hash.digest('hex'),
  }
}

/** How often an archive is begun, when the organization keeps changing. */
const TRIES_MAX = 10

type Bytes = Uint8Array<ArrayBuffer>

/** What is done with the bytes of an archive on their way into its file. */
type Seal = (archive: AsyncIterable<Bytes>) => AsyncIterable<Uint8Array>

interface ArchiveFile {
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

type Tables = AnswerTo<typeof archiveFormat>['tables']

/** What the check of a whole archive found. */
interface CheckedArchive {
  readonly manifest: Manifest
  readonly organization: OrganizationFile
  /** SHA-256 of the manifest. */
  readonly digest: string
  readonly formIds: readonly string[]
  readonly rows: number
}

const FORMS = 'rows/forms.ndjson'

/**
 * Reads an archive from its beginning to its end and checks all of it. Throws an `ArchiveProblem` that says what is
 * wrong with it.
 * @param tables the tables that a service knows; null: values of rows are not checked
 */
export async function checkArchive(
  archive: StoredArchive,
  tables: Tables | null,
  onProgress: (rows: number) => void,
): Promise<CheckedArchive> {
  let checked: CheckedArchive | null = null
  let manifest: { readonly manifest: Manifest; readonly digest: string } | null = null
  const formIds: string[] = []
  let rows = 0
  for await (const piece of readArchive(archive.open(), openNodeDigest)) {
    if (piece.kind === 'manifest') manifest = { manifest: piece.manifest, digest: piece.digest }
    else if (piece.kind === 'organization' && manifest !== null)
      checked = { ...manifest, organization: piece.organization, formIds, rows }
    else if (piece.kind === 'part') {
      const fields = checked?.manifest.files.find(({ file }) => file === piece.file)?.columns ?? []
      const values = checkedLines(piece, fields, tables)
      if (piece.file === FORMS) formIds.push(...values.map((value) => String(membersOf(value).formId)))
      rows += piece.lines.length
      onProgress(rows)
    }
  }
  // The reader gives both pieces, or throws.
  if (checked === null) throw new ArchiveProblem('The archive is empty.')
  return { ...checked, rows }
}

/** The values of lines. */
function checkedLines(
  { file, lines }: { readonly file: string; readonly lines: readonly string[] },
  fields: readonly string[],
  tables: Tables | null,
): readonly unknown[] {
  const table = tables?.find(({ name }) => name === tableOfFile(file))
  // A service that does not know the file refuses the manifest, with a better sentence.
  const columns = table === undefined ? null : columnsOf(table, fields)
  // The service compares with its own time.
  const check = rowCheck(table?.name ?? '', fields, Infinity)
  return lines.map((line) => {
    const value = parsedOr(line, undefined)
    if (value === undefined) throw new ArchiveProblem(`${file} has a line that is no JSON.`)
    const reading = columns === null ? null : rowOfMembers(value, columns)
    if (reading === null) return value
    const problem = 'problem' in reading ? reading.problem : check(reading.row)
    if (problem !== null) throw new ArchiveProblem(`A line of ${file} ${problem}.`)
    return value
  })
}

/** A backup in a list. */
export interface KeptBackup {
  readonly name: string
  readonly organizationId: string
  readonly at: string
  readonly bytes: number
  readonly isEncrypted: boolean
}

/** Backups in a folder of this machine, or in the bucket of a service. */
export interface KeptBackups {
  list(): AsyncIterable<KeptBackup>
  /** The archive of that name. */
  open(name: string): StoredArchive
}

const READ_BYTES = 1_000_000

export function backupsInFolder(folder: string): KeptBackups {
  const archives = createFolderArchives(folder)
  return {
    list: () => backupsIn(archives),
    open: (name) => ({
      name,
      async *open() {
        for (let offset = 0; ;) {
          const bytes = await archives.read(name, offset, READ_BYTES)
          if (bytes === null) throw new CommandError(`There is no backup ${name} in ${folder}.`)
          if (bytes.length === 0) return
          yield bytes
          offset += bytes.length
        }
      },
    }),
  }
}

export function backupsOfService(service: OperatorService, note: (line: string) => void): KeptBackups {
  return {
    async *list() {
      for await (const backup of itemsOf(service, listBackups, {}, note))
        if (readBackupName(backup.name) !== null) yield backup
    },
    open: (name) => {
      // Whoever opens it again, as a restoration does after its check, reads what was recorded already.
      let token: string | null = null
      return {
        name,
        async *open() {
          for (let offset = 0; ;) {
            const asked = { params: { name }, body: { offset, ...(token === null ? {} : { token }) } }
            const answer: AnswerTo<typeof readBackup> = await repeated(() => service.call(readBackup, asked))
            const bytes = bytesOfBase64(answer.bytes)
            if (bytes.length === 0) return
            yield bytes
            offset += bytes.length
            token = answer.token
          }
        },
      }
    },
  }
}

/**
 * An archive as it was before it was encrypted.
 * @param identityPath the path of a file with the secret key; undefined: none was given
 */
export async function decrypted(
  archive: StoredArchive,
  identityPath: string | undefined,
): Promise<StoredArchive> {
  if (!archive.name.endsWith('.age')) return archive
  if (identityPath === undefined)
    throw new CommandError(`${archive.name} is encrypted: give the file of the secret key with --identity.`)
  const text = readFileSync(identityPath, 'utf8')
  // Files of age-keygen have comments.
  const identity = text.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identity === undefined) throw new CommandError(`${identityPath} has no secret key of age.`)
  const { openWith } = await import('../../../adapters/archive-age/index.ts')
  const open = openWith(identity.trim())
  return { name: archive.name, open: () => open(archive.open()) }
}
