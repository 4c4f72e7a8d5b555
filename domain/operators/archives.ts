import { count, jsonBody, instant, isOperator, notThere, operated } from './serve.ts'
import * as v from 'valibot'
import { described, component } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import {
  OrganizationFile,
  readHead,
  readLines,
  Manifest,
  type LocalOrganization,
} from '../organizations/archive.ts'
import { ORGANIZATION, ARCHIVE_VERSION } from '../organizations/tar.ts'
import { readCursor, writeCursor } from './list.ts'
import type { OperatorWorld } from './world.ts'
import type { Restoration } from '../../ports/organization-store.ts'
import {
  beginRestoring,
  progressOf,
  rowsOf,
  UNREADABLE,
  type RestoreAnswer,
} from '../organizations/restoration.ts'
import { finishRestoring, writePart } from '../organizations/restore.ts'
import { newOrganization, OrganizationId, settingsProblem } from '../organizations/settings.ts'
import { choiceOfPlace, PlaceSettings } from './places.ts'
import { giveSecrets } from './webhooks.ts'

const position = v.array(v.union([v.string(), v.number(), v.null()]))

const File = v.strictObject({
  file: described(v.string(), 'The name of the file in the archive.'),
  columns: described(v.array(v.string()), 'What each of its lines has, in order.'),
})

const Begun = v.strictObject({
  token: described(v.string(), 'With it the lines are read, for a day.'),
  organization: described(OrganizationFile, 'The content of `organization.json`.'),
  secrets: described(v.boolean(), 'Whether keys and the hashes of form passwords are included.'),
  files: described(v.array(File), 'The files with rows, in the order of the archive.'),
})

const sampleOrganization = {
  organizationId: 'acme',
  place: 'shared',
  region: null,
  jurisdiction: null,
  row: { name: 'Acme Car Wash', clockAt: '2026-05-19T18:10:00.000Z' },
} as const

const EXPORT = '/operator/v1/organizations/{organizationId}/export'

export const beginExport = operated({
  id: 'exports.begin',
  method: 'POST',
  path: EXPORT,
  access: 'admin',
  openTo: 'owner',
  action: 'organization.export',
  tag: 'Archives',
  summary: 'Begin to export an organization',
  description:
    'Changes nothing. Read the lines of each file, twice: when both readings agree, they are one state of the organization.',
  body: jsonBody(
    v.strictObject({
      withSecrets: v.exactOptional(
        described(v.boolean(), 'Whether to include keys and the hashes of form passwords. Default: no.'),
      ),
    }),
    { withSecrets: false },
  ),
  responses: {
    200: jsonResponse('What the archive will contain.', Begun, {
      token: 'AbL3nQ0yVx7Rk2mZ9tWc',
      organization: { ...sampleOrganization },
      secrets: false,
      files: [{ file: 'rows/sites.ndjson', columns: ['siteId', 'name', 'code'] }],
    }),
    403: 'Forbidden',
    404: 'NotFound',
  },
  answer: async ({ params: { organizationId = '' }, body, change }, world, operator) => {
    const withSecrets = body.withSecrets ?? false
    if (withSecrets && !isOperator(operator)) return secretsForbidden()
    const found = await headOf(organizationId, withSecrets, world)
    if (found === null) return notThere(organizationId)
    await change.announce({ type: 'archive', name: null, secrets: withSecrets })
    const begun = { value: toInstant(world.clock.nowMs()), id: withSecrets ? SECRETS : '' }
    const token = await writeCursor(begun, scopeOf(organizationId), world)
    const { organization, secrets, files } = found
    const shown = files.map(({ file, columns }) => ({ file, columns: [...columns] }))
    return jsonReply(200, { token: token ?? '', organization, secrets, files: shown }, PRIVATE)
  },
})

function secretsForbidden() {
  return errorReply(403, 'Only operators export keys and the hashes of passwords.')
}

export const readExport = operated({
  id: 'exports.read',
  method: 'POST',
  path: `${EXPORT}/lines`,
  access: 'admin',
  openTo: 'owner',
  tag: 'Archives',
  summary: 'Read lines of an export',
  body: jsonBody(
    v.strictObject({
      token: described(v.string(), 'The token of the export.'),
      file: described(v.string(), `One of its files, or \`${ORGANIZATION}\`.`),
      after: described(v.nullable(position), '`next` of the answer before; null: from the first line.'),
    }),
    { token: 'AbL3nQ0yVx7Rk2mZ9tWc', file: 'rows/sites.ndjson', after: null },
    // A position consists of values of a row.
    4_000_000,
  ),
  responses: {
    200: jsonResponse(
      'Lines of the file.',
      v.strictObject({
        lines: described(v.string(), 'Each is a row as a JSON object, and ends with a line feed.'),
        rows: described(count, 'How many lines these are.'),
        next: described(v.nullable(position), 'Where to read on; null: these were the last.'),
      }),
      { lines: '{"siteId":"s1","name":"Harbor","code":"H"}\n', rows: 1, next: null },
    ),
    403: 'Forbidden',
    404: 'NotFound',
  },
  answer: async ({ params: { organizationId = '' }, body: { token, file, after } }, world, operator) => {
    const begun = await readCursor(token, scopeOf(organizationId), world)
    const isKnown = begun !== 'refused' && begun !== null
    if (!isKnown || world.clock.nowMs() - Date.parse(String(begun.value)) > TOKEN_MS)
      return errorReply(400, 'token: must be the token of an export of this organization, at most a day old.')
    const withSecrets = begun.id === SECRETS
    if (withSecrets && !isOperator(operator)) return secretsForbidden()
    if (file === ORGANIZATION) {
      const found = await headOf(organizationId, withSecrets, world)
      if (found === null) return notThere(organizationId)
      const reply = { lines: JSON.stringify(found.organization), rows: 1, next: null }
      return jsonReply(200, reply, PRIVATE)
    }
    const found = await readLines(localOrganization(organizationId, withSecrets, world), file, after)
    if (found === null) return errorReply(404, 'file: must be a file of the export.')
    const { lines, rows, next } = found
    return jsonReply(200, { lines, rows, next: next === null ? null : [...next] }, PRIVATE)
  },
})

/** For how long the token of an export is accepted, in ms. */
const TOKEN_MS = 86_400_000

const SECRETS = 'secrets'

async function headOf(organizationId: string, withSecrets: boolean, world: OperatorWorld) {
  const described = await world.overview.describe(organizationId)
  if (described === null) return null
  return readHead(localOrganization(organizationId, withSecrets, world), described.place)
}

function localOrganization(
  organizationId: string,
  withSecrets: boolean,
  { organizationStore }: OperatorWorld,
): LocalOrganization {
  return { organizationId, store: organizationStore(organizationId), withSecrets }
}

function scopeOf(organizationId: string): { readonly endpointId: string; readonly organizationId: string } {
  return { endpointId: readExport.id, organizationId }
}

const Column = v.strictObject({
  field: described(v.string(), 'Its name in a line.'),
  type: described(v.picklist(['text', 'integer', 'real']), 'What is stored.'),
  isNullable: described(v.boolean(), 'Whether it may be null.'),
  holds: described(
    v.picklist(['value', 'document', 'truth']),
    'A text or number as it is; a JSON document, or its text; or true or false.',
  ),
  isSecret: described(v.boolean(), 'Whether archives without secrets do not have it.'),
})

const Table = v.strictObject({
  name: described(v.string(), 'The name of the table.'),
  isSecret: described(v.boolean(), 'Whether archives without secrets have none of its rows.'),
  columns: described(v.array(Column), 'What its lines have.'),
})

export const archiveFormat = operated({
  id: 'archives.format',
  method: 'GET',
  path: '/operator/v1/archives/format',
  access: 'support',
  openTo: 'owner',
  tag: 'Archives',
  summary: 'Show what archives contain',
  responses: {
    200: jsonResponse(
      'The format of archives.',
      v.strictObject({
        version: described(count, 'The version of the format that this service writes.'),
        tables: described(
          v.array(Table),
          'The kinds of rows: `organizations` is the row in `organization.json`, each other one a file.',
        ),
      }),
      { version: ARCHIVE_VERSION, tables: [] },
    ),
  },
  answer: async (_request, { organizationStore }) => {
    // Every database has the same tables, and one that holds no such organization is asked nothing else.
    const tables = await organizationStore('').tables()
    const shown = tables.map((table) => ({ ...table, columns: [...table.columns] }))
    return jsonReply(200, { version: ARCHIVE_VERSION, tables: shown }, PRIVATE)
  },
})

const Published = v.strictObject({
  restoreId: described(v.string(), 'Names the restoration.'),
  archive: described(v.string(), 'The name of the archive.'),
  nextPart: described(count, 'The part to send next.'),
  writtenRows: described(count, 'Rows of the archive that came so far.'),
  rows: described(count, 'Rows of the archive.'),
  keysLeft: described(
    count,
    'Keys in the archive that were not restored, because they were made for another id or under another root secret.',
  ),
  erasedContacts: described(
    count,
    'People who were erased after the archive was made, and are erased again: how many contacts.',
  ),
  erasedRows: described(count, 'How many rows were changed for that.'),
  erasuresUnreadable: described(
    count,
    'Addresses of erased people that could not be looked for, because they were hashed under a root secret that the service no longer has.',
  ),
  formIds: v.exactOptional(
    described(
      v.array(
        v.strictObject({
          from: described(v.string(), 'The id in the archive.'),
          to: described(v.string(), 'The new one.'),
        }),
      ),
      'The new ids of forms; left out when they keep theirs.',
    ),
  ),
  startedAt: instant,
  endedAt: described(v.nullable(instant), 'When the organization was opened; null: it is closed.'),
  webhookSecrets: v.exactOptional(
    described(
      v.array(
        v.strictObject({
          webhookId: described(v.string(), 'The webhook, which is off.'),
          url: described(v.string(), 'Where it is called.'),
          secret: described(v.string(), 'What signs its calls from now on.'),
        }),
      ),
      'The new secrets of restored webhooks: this answer is the only one that shows them. Left out: there are none.',
    ),
  ),
  webhooksGivenBefore: v.exactOptional(
    described(
      v.array(v.string()),
      'Webhooks that are off and were given their secret with an earlier answer. If that was lost, rotate them. Left out: there are none.',
    ),
  ),
})

const RestorationBody = component('Restoration', described(Published, 'The restoration of an organization.'))

const sample: v.InferOutput<typeof Published> = {
  restoreId: 'rst_3kTzB0n9QmVx8LwR1yZpAq',
  archive: 'acme.tar',
  nextPart: 3,
  writtenRows: 4_000,
  rows: 12_000,
  keysLeft: 0,
  erasedContacts: 0,
  erasedRows: 0,
  erasuresUnreadable: 0,
  startedAt: '2026-05-19T18:10:00.000Z',
  endedAt: null,
}

const RESTORE = '/operator/v1/organizations/{organizationId}/restore'

export const beginRestore = operated({
  id: 'restores.begin',
  method: 'POST',
  path: RESTORE,
  access: 'admin',
  action: 'organization.restore',
  tag: 'Archives',
  summary: 'Begin to restore an organization from an archive',
  description:
    'The organization must not exist, or have no rows. Until all parts of the archive were sent and the restoration is finished, it is closed: its keys and forms are unknown. Asked again with the same archive, this names the restoration that runs, which continues where it stopped.',
  body: jsonBody(
    v.strictObject({
      archive: described(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), 'A name for the archive.'),
      digest: described(
        v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')),
        'SHA-256 of `manifest.json`.',
      ),
      manifest: described(Manifest, 'The content of `manifest.json`.'),
      organization: described(OrganizationFile, 'The content of `organization.json`.'),
      slug: v.exactOptional(
        described(
          v.nullable(v.pipe(v.string(), v.maxLength(64))),
          'The slug to have in place of the archived one.',
        ),
      ),
      formIds: described(
        v.pipe(v.array(v.pipe(v.string(), v.maxLength(200))), v.maxLength(20_000)),
        'The ids of all forms in the archive.',
      ),
      newFormIds: v.exactOptional(
        described(
          v.boolean(),
          'Whether every form gets a new id, `ID-2` or the first number that is free, so that the archive can be restored beside the organization that was archived. Submissions, automations, and all else that names a form by its id, name the new one; a public URL is text, and stays. Default: no.',
        ),
      ),
      ...PlaceSettings.entries,
    }),
    {
      archive: 'acme.tar',
      digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      manifest: {
        format: 'tenant-data-archive',
        version: ARCHIVE_VERSION,
        organizationId: 'acme',
        secrets: false,
        organization: {
          bytes: 427,
          sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        },
        files: [],
      },
      organization: {
        organizationId: 'acme',
        place: 'shared',
        region: null,
        jurisdiction: null,
        row: { name: 'Acme Car Wash' },
      },
      formIds: [],
    },
    8_000_000,
  ),
  responses: {
    200: jsonResponse('The restoration.', RestorationBody, sample),
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '' }, body, change }, world) => {
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
  },
})

export const writeRestore = operated({
  id: 'restores.write',
  method: 'POST',
  path: `${RESTORE}/{restoreId}/parts`,
  access: 'admin',
  tag: 'Archives',
  summary: 'Send a part of an archive',
  description:
    'Parts are lines of one file each, numbered from 1 over all files in the order of the manifest. The client chooses how many lines a part has, and must choose the same again when it continues. A part that came before is accepted again.',
  body: jsonBody(
    v.strictObject({
      part: described(v.pipe(v.number(), v.safeInteger(), v.minValue(1)), 'The number of the part, from 1.'),
      file: described(v.pipe(v.string(), v.maxLength(200)), 'The file from which the lines are.'),
      lines: described(v.pipe(v.array(v.string()), v.maxLength(10_000)), 'The lines, without their ends.'),
    }),
    { part: 1, file: 'rows/sites.ndjson', lines: ['{"siteId":"s1","name":"Harbor","code":"H"}'] },
    40_000_000,
  ),
  responses: {
    200: jsonResponse('The restoration.', RestorationBody, sample),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '', restoreId = '' }, body }, world) => {
    const answer = await writePart({ organizationId, restoreId, ...body }, world)
    return answer === null ? unknownRestoration() : replyTo(answer)
  },
})

export const finishRestore = operated({
  id: 'restores.finish',
  method: 'POST',
  path: `${RESTORE}/{restoreId}/finish`,
  access: 'admin',
  action: 'organization.restore',
  tag: 'Archives',
  summary: 'Open an organization whose rows are restored',
  description:
    'Before it is opened, people are erased again who were erased after the archive was made. Works for a bounded time: send it again until `endedAt` is given.',
  responses: {
    200: jsonResponse('The restoration.', RestorationBody, {
      ...sample,
      endedAt: '2026-05-19T18:11:00.000Z',
    }),
    404: 'NotFound',
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '', restoreId = '' }, change }, world) => {
    const restoration = await world.organizationStore(organizationId).restoration()
    if (restoration?.restoreId !== restoreId) return unknownRestoration()
    const progress = progressOf(restoration)
    if (progress === null) return errorReply(409, UNREADABLE)
    await change.announce({ type: 'archive', name: restoration.archive, secrets: progress.secrets })
    const answer = await finishRestoring(organizationId, restoreId, world)
    if (answer === null) return unknownRestoration()
    const isOpen = 'restoration' in answer && answer.restoration.endedAt !== null
    return replyTo(answer, isOpen ? await giveSecrets(organizationId, world) : {})
  },
})

/** A restoration in its published form. Null: another version of the service wrote its progress in its own way. */
function publishedRestoration(restoration: Restoration): v.InferOutput<typeof Published> | null {
  const { restoreId, archive, nextPart, startedAt, endedAt } = restoration
  const progress = progressOf(restoration)
  if (progress === null) return null
  const { written, all } = rowsOf(progress)
  const { keysLeft, erasing } = progress
  const formIds = Object.entries(progress.formIds).map(([from, to]) => ({ from, to }))
  return {
    ...{ restoreId, archive, nextPart, writtenRows: written, rows: all, keysLeft },
    erasedContacts: erasing?.contacts ?? 0,
    erasedRows: erasing?.rows ?? 0,
    erasuresUnreadable: erasing?.unreadable ?? 0,
    ...(formIds.length === 0 ? {} : { formIds }),
    ...{ startedAt, endedAt },
  }
}

function replyTo(answer: RestoreAnswer, given: Awaited<ReturnType<typeof giveSecrets>> = {}) {
  if ('refusal' in answer) return errorReply(409, answer.refusal)
  const published = publishedRestoration(answer.restoration)
  if (published === null) return errorReply(409, UNREADABLE)
  return jsonReply(200, { ...published, ...given }, PRIVATE)
}

function unknownRestoration() {
  return errorReply(404, 'There is no such restoration of the organization.')
}
