import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { beginExport, readExport } from '../../../domain/operators/endpoints/organization/exports.ts'
import { calledSource } from '../../../domain/whole/archive/called-source.ts'
import type { ArchiveSource } from '../../../domain/whole/archive/source.ts'
import type { OpenDigest } from '../../../ports/archives.ts'
import { CommandError } from '../client/errors.ts'
import { repeated } from '../client/repeated.ts'
import type { OperatorService } from '../client/service/operator-service.ts'

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

/** An organization to archive, behind the operator interface. Its head must be read first. */
export function remoteSource(
  service: OperatorService,
  organizationId: string,
  withSecrets: boolean,
): ArchiveSource {
  const params = { organizationId }
  return calledSource({
    begin: async () =>
      (await repeated(() => service.call(beginExport, { params, body: { withSecrets } }))).body,
    read: async (body) => (await repeated(() => service.call(readExport, { params, body }))).body,
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
