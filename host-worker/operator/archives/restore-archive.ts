import type * as v from 'valibot'
import {
  archiveFormat,
  beginRestore,
  finishRestore,
  writeRestore,
} from '../../../domain/operators/endpoints/organization/restores.ts'
import type { PlaceSettings } from '../../../domain/operators/place-settings.ts'
import { readArchive } from '../../../domain/whole/archive/read-archive.ts'
import { CommandError } from '../client/errors.ts'
import type { AnswerTo, OperatorService } from '../client/service/operator-service.ts'
import { repeated } from '../client/repeated.ts'
import { openNodeDigest, type StoredArchive } from './sources.ts'
import { checkArchive } from './check-archive.ts'

export interface Restoring {
  readonly archive: StoredArchive
  readonly service: OperatorService
  /** Undefined: the archived one. */
  readonly organizationId: string | undefined
  /** Undefined: the archived one. */
  readonly slug: string | null | undefined
  /** Whether every form gets a new id. */
  readonly newFormIds?: boolean
  readonly place: v.InferOutput<typeof PlaceSettings>
  readonly onProgress: (label: string, rows: number) => void
}

export interface Restored {
  readonly organizationId: string
  readonly restoration: AnswerTo<typeof finishRestore>['body']
}

/**
 * Restores an organization: checks the whole archive, then sends it in parts, and opens the organization. An
 * interrupted restoration of the same archive is continued where it stopped.
 */
export async function restoreArchive(restoring: Restoring): Promise<Restored> {
  const { archive, service, slug, place, onProgress } = restoring
  const { tables } = (await repeated(() => service.call(archiveFormat))).body
  const { rows, ...checked } = await checkArchive(archive, tables, (seen) => {
    onProgress('Checking', seen)
  })
  const organizationId = restoring.organizationId ?? checked.manifest.organizationId
  const body = {
    ...checked,
    formIds: [...checked.formIds],
    archive: archive.name,
    ...place,
    ...(slug === undefined ? {} : { slug }),
    ...(restoring.newFormIds === true ? { newFormIds: true } : {}),
  }
  const params = { organizationId }
  const begun = await repeated(() => service.call(beginRestore, { params, body }))
  const { restoreId, nextPart } = begun.body
  let sent = 0
  for await (const piece of readArchive(archive.open(), openNodeDigest)) {
    if (piece.kind === 'manifest' && piece.digest !== checked.digest) throw changed()
    if (piece.kind !== 'part') continue
    sent += piece.lines.length
    onProgress('Writing', Math.min(sent, rows))
    if (piece.part < nextPart) continue
    const { part, file, lines } = piece
    const parts = { params: { ...params, restoreId }, body: { part, file, lines: [...lines] } }
    await repeated(() => service.call(writeRestore, parts))
  }
  for (;;) {
    const finished = await repeated(() => service.call(finishRestore, { params: { ...params, restoreId } }))
    if (finished.body.endedAt !== null) return { organizationId, restoration: finished.body }
    onProgress('Erasing again', finished.body.erasedRows)
  }
}

function changed(): CommandError {
  return new CommandError(
    'The archive changed while it was restored. Call the command again with the same archive.',
  )
}
