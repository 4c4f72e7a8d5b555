import * as v from 'valibot'
import { existsSync } from 'node:fs'
import {
  beginExport,
  readExport,
  archiveFormat,
  beginRestore,
  finishRestore,
  writeRestore,
} from '../../../domain/operators/archives.ts'
import { readBackup } from '../../../domain/operators/backups.ts'
import {
  lawFlags,
  placeFlag,
  PlaceSettings,
  abortMove,
  beginMove,
  showMove,
} from '../../../domain/operators/places.ts'
import { choice, clearable, mark, text, sets, type FlagValues } from '../../../domain/record/command.ts'
import { readBackupName } from '../../../domain/organizations/backups.ts'
import { ArchiveProblem, readArchive } from '../../../domain/organizations/read-archive.ts'
import {
  archiveInFile,
  remoteSource,
  backupsOfService,
  decrypted,
  writeArchiveFile,
  openNodeDigest,
  checkArchive,
  type StoredArchive,
} from './archive-files.ts'
import {
  CommandError,
  repeated,
  type OperatorService,
  Unavailable,
  UsageError,
} from '../client/call-service.ts'
import { callWithFlags, textOf, type Command, givenPath, withProgress, type Context } from '../command.ts'
import { settingFlags, OrganizationId } from '../../../domain/organizations/settings.ts'
import type { AnswerTo } from '../../../domain/record/operation.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { jurisdictions, placeKinds, regions } from '../../../domain/placement/operators/overview.ts'
import { systemClock } from '../../system.ts'

const exportCommand: Command = {
  words: ['org', 'export'],
  positionals: ['FILE'],
  flags: { id: text('ID', 'required'), 'with-secrets': mark() },
  summary: 'Write everything that is stored of an organization into an archive',
  details: [
    'FILE is a tar file with a manifest, the settings, and one NDJSON file for each kind of row; the manual describes it.',
    'It is one state of the organization: when something is written meanwhile, the export starts again. Nothing is',
    'changed. Keys and the hashes of form passwords are included with --with-secrets only.',
  ],
  examples: ['lakeside.tar --id lakeside'],
  operations: [beginExport, readExport],
  run: async (context, { values, positionals: [file = ''] }) => {
    const organizationId = organizationIdOf(values)
    const path = givenPath(file)
    const service = await context.service()
    const source = remoteSource(service, organizationId, values['with-secrets'] === true)
    const rows = await withProgress((onProgress) =>
      writeArchiveFile({ path, source, note: context.note, onProgress }),
    )
    context.note(`Exported ${organizationId}: ${rows} rows in ${file}.`)
  },
}

const restoreCommand: Command = {
  words: ['org', 'restore'],
  positionals: ['FILE'],
  flags: {
    id: text('ID'),
    slug: clearable('S'),
    place: placeFlag,
    'form-ids': choice('new', ['new']),
    ...lawFlags,
    identity: text('KEYFILE'),
  },
  summary: 'Make an organization from an archive',
  details: [
    'FILE is an archive, or the name of a backup in the bucket of the service ("backup list"); --identity names the file',
    'of the secret key for one that is encrypted.',
    'The organization must not exist, or have no rows. The whole archive is checked before the first row is written.',
    'Until the last one is, the organization is closed: its keys and forms are unknown. Interrupted, the same command',
    'continues. Work that waited is held: nothing is sent until "outbox retry". Keys come from an archive with secrets',
    'only, and only under the same id and root secret. Who was erased after the archive was made is erased again.',
    '--form-ids new gives every form of the archive a new id (ID-2, …), prints old and new, and carries along whatever names',
    'a form by its id; so an archive can be restored beside the organization that it is of. A public URL is text, and stays.',
  ],
  examples: ['lakeside.tar', 'lakeside.tar --id lakeside-copy --slug lakeside-copy --form-ids new'],
  operations: [readBackup, archiveFormat, beginRestore, writeRestore, finishRestore],
  run: async (context, { values, positionals: [file = ''] }) => {
    const place = placeOf(values)
    const newSlug = textOf(values, 'slug')
    const service = await context.service()
    const isFile = existsSync(givenPath(file)) || readBackupName(file) === null
    const stored = isFile
      ? archiveInFile(givenPath(file))
      : backupsOfService(service, context.note).open(file)
    const identity = textOf(values, 'identity')
    const archive = await decrypted(stored, identity === undefined ? undefined : givenPath(identity))
    const slug = newSlug === '' ? null : newSlug
    const newFormIds = values['form-ids'] === 'new'
    const given = { archive, service, organizationId: textOf(values, 'id'), slug, place, newFormIds }
    const { organizationId, restoration } = await callWithFlags(
      { ...settingFlags, place: placeFlag, ...lawFlags },
      () =>
        withProgress((onProgress) => restoreArchive({ ...given, onProgress })).catch((error: unknown) => {
          throw error instanceof ArchiveProblem ? new CommandError(error.message, { cause: error }) : error
        }),
    )
    const {
      rows,
      keysLeft,
      erasedContacts,
      erasedRows,
      erasuresUnreadable,
      webhookSecrets = [],
      webhooksGivenBefore = [],
    } = restoration
    context.note(`Restored ${organizationId}: ${rows} rows from ${restoration.archive}.`)
    for (const { from, to } of restoration.formIds ?? []) context.out(`${from}  ${to}`)
    if (erasedRows > 0)
      context.note(
        `Erased again who was erased after the archive was made: ${erasedContacts} contacts, ${erasedRows} rows in all.`,
      )
    if (erasuresUnreadable > 0)
      context.note(
        `${erasuresUnreadable} addresses of erased people could not be looked for: they were hashed under a root secret that the service no longer has. Erase these people again.`,
      )
    if (keysLeft > 0)
      context.note(
        `${keysLeft} keys were left out: they were made for another id or under another root secret. Issue new ones.`,
      )
    for (const { webhookId, secret } of webhookSecrets) context.out(`${webhookId}  ${secret}`)
    if (webhookSecrets.length > 0)
      context.note(
        'Its webhooks have new secrets, which are shown this once. Tell the receivers, then switch each on with "webhook update ID --on".',
      )
    if (webhooksGivenBefore.length > 0)
      context.note(
        `An earlier answer, which was perhaps lost, showed the new secrets of ${webhooksGivenBefore.join(', ')}. If you have not seen them, draw others with "webhook rotate ID".`,
      )
  },
}

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
  readonly restoration: AnswerTo<typeof finishRestore>
}

/**
 * Restores an organization: checks the whole archive, then sends it in parts, and opens the organization. An
 * interrupted restoration of the same archive is continued where it stopped.
 */
export async function restoreArchive(restoring: Restoring): Promise<Restored> {
  const { archive, service, slug, place, onProgress } = restoring
  const { tables } = await repeated(() => service.call(archiveFormat))
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
  const { restoreId, nextPart } = await repeated(() => service.call(beginRestore, { params, body }))
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
    if (finished.endedAt !== null) return { organizationId, restoration: finished }
    onProgress('Erasing again', finished.erasedRows)
  }
}

function changed(): CommandError {
  return new CommandError(
    'The archive changed while it was restored. Call the command again with the same archive.',
  )
}

type Move = AnswerTo<typeof showMove>

/** How often the service is asked for the progress of the move, and how long it may be unreachable meanwhile, in ms. */
const LOOK_MS = 500
const AWAY_MS = 120_000

const toFlag = sets('place', text(placeKinds.join('|'), 'either'))

const moveCommand: Command = {
  words: ['org', 'move'],
  positionals: [],
  flags: {
    id: text('ID', 'required'),
    to: toFlag,
    abort: mark('either'),
    ...lawFlags,
  },
  summary: 'Move an organization and all below it into a database of its own, or back',
  details: [
    'ID is the root of its family. It is served meanwhile; its writes wait for about a second when it switches. The',
    'service does the move and this command watches: ended, it can be called again. --abort gives a move up that has',
    'not switched yet.',
    `REGION is one of ${regions.join(', ')}; LAW is ${jurisdictions.join(', ')}.`,
  ],
  examples: ['--id lakeside --to own --region weur', '--id lakeside --abort'],
  operations: [beginMove, showMove, abortMove],
  run: async (context, { values }) => {
    const organizationId = organizationIdOf(values)
    const body = targetOf(values)
    const service = await context.service()
    const params = { organizationId }
    if (body === null) {
      const ended = await watched(await service.call(abortMove, { params }), service)
      if (ended.phase !== 'aborted') throw new CommandError(`${organizationId} has switched already.`)
      context.note(`The move of ${organizationId} was given up. It is where it was.`)
      return
    }
    const { move } = await callWithFlags({ ...settingFlags, to: toFlag, ...lawFlags }, () =>
      service.call(beginMove, { params, body }),
    )
    if (move === null) {
      context.note(`${organizationId} is there already.`)
      return
    }
    report(await watched(move, service), context)
  },
}

/** The family's target; null: none, because the command aborts the move. */
function targetOf(values: FlagValues) {
  const given = textOf(values, 'to')
  if (given === undefined) {
    if (textOf(values, 'region') !== undefined || textOf(values, 'jurisdiction') !== undefined)
      throw new UsageError('--abort takes neither --region nor --jurisdiction')
    return null
  }
  const place = placeKinds.find((kind) => kind === given)
  if (place === undefined) throw new UsageError(`--to must be ${placeKinds.join(' or ')}`)
  return { ...placeOf(values), place }
}

/** Watches a move until it has ended, or until the family lives in the new place and only cleaning up is left. */
function watched(begun: Move, service: OperatorService): Promise<Move> {
  return withProgress(async (update) => {
    let move = begun
    let answeredMs = systemClock.nowMs()
    while (move.endedAt === null) {
      update(`${move.phase} (table ${move.table} of ${move.tables})`, move.copiedRows)
      await pause(LOOK_MS)
      try {
        move = await service.call(showMove, { params: { moveId: begun.moveId } })
        answeredMs = systemClock.nowMs()
      } catch (error) {
        // A service that restarts continues the move by itself.
        const isAway = error instanceof Unavailable && systemClock.nowMs() - answeredMs < AWAY_MS
        if (!isAway) throw error
      }
    }
    return move
  })
}

function report({ organizationId, phase, to, copiedRows, pausedMs, failure }: Move, context: Context): void {
  if (phase === 'aborted')
    throw new CommandError(
      `The move of ${organizationId} was given up. It is where it was.${failure === null ? '' : ` ${failure}`}`,
    )
  const where = to === 'own' ? 'a database of its own' : 'the shared database'
  context.note(
    `${organizationId} lives in ${where}: ${copiedRows} rows; writes were paused for ${pausedMs ?? 0} ms.`,
  )
}

const placeFlags = ['place', 'region', 'jurisdiction'] as const

/**
 * The place for a family in the flags. The service checks whether it is possible. Throws a `UsageError` that names the
 * first wrong flag.
 */
function placeOf(values: FlagValues): v.InferOutput<typeof PlaceSettings> {
  const given = placeFlags.flatMap((flag) => {
    const text = textOf(values, flag)
    return text === undefined ? [] : [[flag, text] as const]
  })
  const reading = v.safeParse(PlaceSettings, Object.fromEntries(given))
  if (reading.success) return reading.output
  const [{ path, message }] = reading.issues
  throw new UsageError(`--${String(path?.[0].key)} ${message}`)
}

/** The id of the organization in `--id`. Throws a `UsageError`. */
function organizationIdOf(values: FlagValues): string {
  const reading = v.safeParse(OrganizationId, textOf(values, 'id'))
  if (reading.success) return reading.output
  throw new UsageError(`--id ${reading.issues[0].message}`)
}

export const commands = [exportCommand, restoreCommand, moveCommand]
