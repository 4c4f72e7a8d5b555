import * as v from 'valibot'
import type { ReplyOf } from '../../../record/operation/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/operation/reply.ts'
import { ARCHIVE_VERSION } from '../../../whole/archive/names.ts'
import { progressOf, UNREADABLE } from '../../../whole/restore/progress.ts'
import { beginRestoring } from '../../../whole/restore/begin.ts'
import { finishRestoring } from '../../../whole/restore/finish.ts'
import type { RestoreAnswer } from '../../../whole/restore/world.ts'
import { writePart } from '../../../whole/restore/write-part.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import { newOrganization, OrganizationId } from '../../organization.ts'
import { settingsProblem } from '../../organization-settings.ts'
import { choiceOfPlace } from '../../place-settings.ts'
import type { archiveFormat, beginRestore, finishRestore, writeRestore } from './restores.ts'
import { publishedRestoration } from './restores.ts'

/** Answers `GET /operator/v1/archives/format`. */
export async function serveArchiveFormat(
  _request: OperatorRequestOf<typeof archiveFormat>,
  { whole }: OperatorWorld,
): Promise<ReplyOf<typeof archiveFormat>> {
  // Every database has the same tables, and one that holds no such organization is asked nothing else.
  const tables = await whole('').tables()
  const shown = tables.map((table) => ({ ...table, columns: [...table.columns] }))
  return jsonReply(200, { version: ARCHIVE_VERSION, tables: shown }, PRIVATE)
}

/** Answers `POST /operator/v1/organizations/{organizationId}/restore`. */
export async function serveBeginRestore(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof beginRestore>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof beginRestore>> {
  const id = v.safeParse(OrganizationId, organizationId)
  if (!id.success) return errorReply(400, `organizationId: ${id.issues[0].message}.`)
  const { place, region, jurisdiction, slug, newFormIds = false, ...archive } = body
  const choice = place === undefined ? null : choiceOfPlace({ ...body, place })
  if (typeof choice === 'string') return errorReply(400, choice)
  if (choice === null && (region ?? jurisdiction) !== undefined)
    return errorReply(400, 'region: needs the place own.')
  const archived = choiceOfPlace({
    place: archive.organization.place,
    ...(archive.organization.region === null ? {} : { region: archive.organization.region }),
    ...(archive.organization.jurisdiction === null
      ? {}
      : { jurisdiction: archive.organization.jurisdiction }),
  })
  if (typeof archived === 'string') return errorReply(400, `organization.json ${archived}`)
  await change.announce({ type: 'archive', name: archive.archive, secrets: archive.manifest.secrets })
  // A field that the archive does not have gets its default.
  const { organizationId: _id, ...defaults } = newOrganization(organizationId, '')
  const organization = { ...archive.organization, row: { ...defaults, ...archive.organization.row } }
  const answer = await beginRestoring(
    { ...archive, organization, organizationId, slug, newFormIds, choice, settingsProblem },
    world,
  )
  return replyTo(answer)
}

/** Answers `POST …/restore/{restoreId}/parts`. */
export async function serveWriteRestore(
  { params: { organizationId = '', restoreId = '' }, body }: OperatorRequestOf<typeof writeRestore>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof writeRestore>> {
  const answer = await writePart({ organizationId, restoreId, ...body }, world)
  return answer === null ? unknownRestoration() : replyTo(answer)
}

/** Answers `POST …/restore/{restoreId}/finish`. */
export async function serveFinishRestore(
  { params: { organizationId = '', restoreId = '' }, change }: OperatorRequestOf<typeof finishRestore>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof finishRestore>> {
  const restoration = await world.whole(organizationId).restoration()
  if (restoration?.restoreId !== restoreId) return unknownRestoration()
  const progress = progressOf(restoration)
  if (progress === null) return errorReply(409, UNREADABLE)
  await change.announce({ type: 'archive', name: restoration.archive, secrets: progress.secrets })
  const answer = await finishRestoring(organizationId, restoreId, world)
  return answer === null ? unknownRestoration() : replyTo(answer)
}

function replyTo(answer: RestoreAnswer) {
  if ('refusal' in answer) return errorReply(409, answer.refusal)
  const published = publishedRestoration(answer.restoration)
  return published === null ? errorReply(409, UNREADABLE) : jsonReply(200, published, PRIVATE)
}

function unknownRestoration() {
  return errorReply(404, 'There is no such restoration of the organization.')
}
