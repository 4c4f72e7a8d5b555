import { count, jsonBody, instant, operated } from './serve.ts'
import * as v from 'valibot'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { echoed } from '../limits/limits.ts'
import { toBase64 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { openLocalSource } from '../organizations/archive.ts'
import { ChangedMeanwhile } from '../organizations/write-archive.ts'
import { backUp, removeOld, readBackupName } from '../organizations/backups.ts'
import { pageOf, pageParameters, readCursor, pageResponse, servePage, writeCursor } from './list.ts'

const Backup = v.strictObject({
  name: described(v.string(), 'The name of the archive.'),
  organizationId: v.string(),
  at: described(instant, 'When it was begun.'),
  bytes: described(count, 'Its size.'),
  isEncrypted: described(v.boolean(), 'Whether only the holder of the secret key can read it.'),
})

const sample: v.InferOutput<typeof Backup> = {
  name: '2026-05-19T02-00-00-000Z.acme.tar',
  organizationId: 'acme',
  at: '2026-05-19T02:00:00.000Z',
  bytes: 3_145_728,
  isEncrypted: false,
}

export const runBackup = operated({
  id: 'backups.run',
  method: 'POST',
  path: '/operator/v1/organizations/{organizationId}/backup',
  access: 'admin',
  action: 'organization.backup',
  tag: 'Archives',
  needsOrganization: true,
  summary: 'Back up an organization',
  description:
    'Stores its archive in the bucket of the service, and answers when it is there. It has keys and the hashes of form passwords if the service encrypts its backups.',
  responses: {
    200: jsonResponse(
      'The backup.',
      v.strictObject({
        name: described(v.string(), 'The name of the archive.'),
        rows: described(count, 'How many rows it has.'),
      }),
      { name: sample.name, rows: 12_000 },
    ),
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '' }, change }, world) => {
    const backups = await world.backups()
    if (backups === null) return noBucket()
    const secrets = backups.seal !== null
    await change.announce({ type: 'archive', name: null, secrets })
    const local = { organizationId, store: world.organizationStore(organizationId), withSecrets: secrets }
    const placeOf = async () => (await world.overview.describe(organizationId))?.place ?? null
    try {
      const made = await backUp(organizationId, openLocalSource(local, placeOf), backups)
      change.concerns({ type: 'archive', name: made.name, secrets })
      return jsonReply(200, made, PRIVATE)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      return errorReply(
        409,
        `${organizationId} was changed during every attempt. Try again when less is written.`,
      )
    }
  },
})

export const listBackups = operated({
  id: 'backups.list',
  method: 'GET',
  path: '/operator/v1/backups',
  access: 'support',
  tag: 'Archives',
  summary: 'List the backups of all organizations',
  description: 'Oldest first.',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of backups.', pageOf('BackupPage', Backup), sample),
    409: 'Conflict',
  },
  answer: async ({ operation, query }, world) => {
    const backups = await world.backups()
    if (backups === null) return noBucket()
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId: null },
      read: async (after, limit) =>
        (await backups.archives.list(after?.id ?? null, limit)).map((archive) => ({
          ...archive,
          ...(readBackupName(archive.name) ?? { organizationId: '', at: NEVER, isEncrypted: false }),
        })),
      positionOf: ({ name }) => ({ value: null, id: name }),
      publish: (backup) => backup,
    })
  },
})

/** The maximum number of bytes of an answer. */
const PIECE_BYTES = 2_000_000

export const readBackup = operated({
  id: 'backups.read',
  method: 'POST',
  path: '/operator/v1/backups/{name}/bytes',
  access: 'admin',
  action: 'backup.read',
  tag: 'Archives',
  summary: 'Read a backup, piece by piece',
  description:
    'Each reading leaves one record, also one that is cut off. Send the token of the first answer with every further request: one without it is a reading of its own.',
  body: jsonBody(
    v.strictObject({
      offset: described(count, 'From which byte on.'),
      token: v.exactOptional(
        described(v.pipe(v.string(), v.maxLength(1_000)), 'The token of an earlier answer of this reading.'),
      ),
    }),
    { offset: 0 },
  ),
  responses: {
    200: jsonResponse(
      'A piece of the archive.',
      v.strictObject({
        bytes: described(v.string(), `Up to ${PIECE_BYTES} bytes, in base64. Empty: the archive has ended.`),
        token: described(
          v.string(),
          'With it the same operator key reads on, for a day after the first piece.',
        ),
      }),
      { bytes: 'bWFuaWZlc3QuanNvbg==', token: 'AbL3nQ0yVx7Rk2mZ9tWc' },
    ),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ operation, params: { name = '' }, body: { offset, token }, change }, world, { keyId }) => {
    const backups = await world.backups()
    if (backups === null) return noBucket()
    const about = readBackupName(name)
    if (about === null) return unknownBackup(name)
    const scope = { endpointId: operation.id, organizationId: name }
    const begun = await readCursor(token ?? null, scope, world)
    const nowMs = world.clock.nowMs()
    const isGoingOn =
      begun !== null &&
      begun !== 'refused' &&
      begun.id === keyId &&
      nowMs - Date.parse(String(begun.value)) <= READING_MS
    // A reading that is cut off is one too, so it is recorded before its first byte is read.
    if (isGoingOn) change.continues()
    else await change.announce({ type: 'archive', name, secrets: about.isEncrypted }, about.organizationId)
    const bytes = await backups.archives.read(name, offset, PIECE_BYTES)
    if (bytes === null) return unknownBackup(name)
    const reading = isGoingOn ? begun : { value: toInstant(nowMs), id: keyId ?? '' }
    const next = (await writeCursor(reading, scope, world)) ?? ''
    return jsonReply(200, { bytes: toBase64(bytes), token: next }, PRIVATE)
  },
})

export const removeBackups = operated({
  id: 'backups.remove',
  method: 'POST',
  path: '/operator/v1/backups/remove',
  access: 'admin',
  action: 'backup.remove',
  tag: 'Archives',
  summary: 'Remove old backups',
  description: 'The latest one of each organization stays, however old.',
  body: jsonBody(
    v.strictObject({
      keepDays: described(
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(36_500)),
        'How old backups may be, in days.',
      ),
    }),
    { keepDays: 30 },
  ),
  responses: {
    200: jsonResponse(
      'What was removed.',
      v.strictObject({ removed: described(v.array(v.string()), 'The names of the archives.') }),
      { removed: [sample.name] },
    ),
    409: 'Conflict',
  },
  answer: async ({ body: { keepDays }, change }, world) => {
    const backups = await world.backups()
    if (backups === null) return noBucket()
    await change.announce({ type: 'archive', name: null, secrets: false })
    return jsonReply(200, { removed: [...(await removeOld(keepDays, backups))] }, PRIVATE)
  },
})

export const deleteBackup = operated({
  id: 'backups.delete',
  method: 'POST',
  path: '/operator/v1/backups/{name}/delete',
  access: 'admin',
  action: 'backup.delete',
  tag: 'Archives',
  summary: 'Delete a backup',
  description: 'Any one, also the latest of an organization, or of one that was deleted.',
  responses: {
    200: jsonResponse(
      'It is deleted.',
      v.strictObject({ name: described(v.string(), 'The name of the archive.') }),
      { name: sample.name },
    ),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { name = '' }, change }, world) => {
    const backups = await world.backups()
    if (backups === null) return noBucket()
    const about = readBackupName(name)
    if (about === null) return unknownBackup(name)
    await change.announce({ type: 'archive', name, secrets: about.isEncrypted }, about.organizationId)
    if ((await backups.archives.read(name, 0, 1)) === null) return unknownBackup(name)
    await backups.archives.remove(name)
    return jsonReply(200, { name }, PRIVATE)
  },
})

/** The instant of a file in the bucket that is no backup. */
const NEVER = '0000-01-01T00:00:00.000Z'

/** For how long a reading goes on under its first record, in ms. */
const READING_MS = 86_400_000

function unknownBackup(name: string) {
  return errorReply(404, `There is no backup ${echoed(name)}.`)
}

function noBucket() {
  return errorReply(409, 'The service has no bucket for backups (no binding BACKUPS). Use --to DIR.')
}
