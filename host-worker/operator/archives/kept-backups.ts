import { readFileSync } from 'node:fs'
import { createFolderArchives } from '../../../adapters/archive-folder/index.ts'
import { listBackups, readBackup } from '../../../domain/operators/endpoints/organization/backups.ts'
import { bytesOfBase64 } from '../../../domain/text/encoding.ts'
import { backupsIn } from '../../../domain/whole/backup/back-up.ts'
import { readBackupName } from '../../../domain/whole/backup/names.ts'
import { CommandError } from '../client/errors.ts'
import type { AnswerTo, OperatorService } from '../client/service/operator-service.ts'
import { itemsOf } from '../client/pages.ts'
import { repeated } from '../client/repeated.ts'
import type { StoredArchive } from './sources.ts'

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
            const bytes = bytesOfBase64(answer.body.bytes)
            if (bytes.length === 0) return
            yield bytes
            offset += bytes.length
            token = answer.body.token
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
