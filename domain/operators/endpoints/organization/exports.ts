import * as v from 'valibot'
import { described } from '../../../record/meaning.ts'
import { jsonResponse, operation, type ReplyOf } from '../../../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/reply.ts'
import { toInstant } from '../../../text/instant.ts'
import { OrganizationFile } from '../../../whole/archive/format.ts'
import { ORGANIZATION } from '../../../whole/archive/names.ts'
import { readHead, readLines, type LocalOrganization } from '../../../whole/archive/local-source.ts'
import { jsonBody } from '../../interface/body.ts'
import { readCursor, writeCursor } from '../../interface/list.ts'
import { unknownOrganization, type OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
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

const PATH = '/operator/v1/organizations/{organizationId}/export'

export const beginExport = operation({
  id: 'exports.begin',
  method: 'POST',
  path: PATH,
  access: 'admin',
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
    400: 'BadRequest',
    404: 'NotFound',
  },
})

export const readExport = operation({
  id: 'exports.read',
  method: 'POST',
  path: `${PATH}/lines`,
  access: 'admin',
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
    400: 'BadRequest',
    404: 'NotFound',
  },
})

/** For how long the token of an export is accepted, in ms. */
const TOKEN_MS = 86_400_000

const SECRETS = 'secrets'

/** Answers `POST /operator/v1/organizations/{organizationId}/export`. */
export async function serveBeginExport(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof beginExport>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof beginExport>> {
  const withSecrets = body.withSecrets ?? false
  const found = await headOf(organizationId, withSecrets, world)
  if (found === null) return unknownOrganization(organizationId)
  await change.announce({ type: 'archive', name: null, secrets: withSecrets })
  const begun = { value: toInstant(world.clock.nowMs()), id: withSecrets ? SECRETS : '' }
  const token = await writeCursor(begun, scopeOf(organizationId), world)
  const { organization, secrets, files } = found
  const shown = files.map(({ file, columns }) => ({ file, columns: [...columns] }))
  return jsonReply(200, { token: token ?? '', organization, secrets, files: shown }, PRIVATE)
}

/** Answers `POST …/export/lines`. */
export async function serveReadExport(
  { params: { organizationId = '' }, body: { token, file, after } }: OperatorRequestOf<typeof readExport>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof readExport>> {
  const begun = await readCursor(token, scopeOf(organizationId), world)
  const isKnown = begun !== 'refused' && begun !== null
  if (!isKnown || world.clock.nowMs() - Date.parse(String(begun.value)) > TOKEN_MS)
    return errorReply(400, 'token: must be the token of an export of this organization, at most a day old.')
  const withSecrets = begun.id === SECRETS
  if (file === ORGANIZATION) {
    const found = await headOf(organizationId, withSecrets, world)
    if (found === null) return unknownOrganization(organizationId)
    const reply = { lines: JSON.stringify(found.organization), rows: 1, next: null }
    return jsonReply(200, reply, PRIVATE)
  }
  const found = await readLines(localOrganization(organizationId, withSecrets, world), file, after)
  if (found === null) return errorReply(404, 'file: must be a file of the export.')
  const { lines, rows, next } = found
  return jsonReply(200, { lines, rows, next: next === null ? null : [...next] }, PRIVATE)
}

async function headOf(organizationId: string, withSecrets: boolean, world: OperatorWorld) {
  const described = await world.overview.describe(organizationId)
  if (described === null) return null
  return readHead(localOrganization(organizationId, withSecrets, world), described.place)
}

function localOrganization(
  organizationId: string,
  withSecrets: boolean,
  { whole }: OperatorWorld,
): LocalOrganization {
  return { organizationId, store: whole(organizationId), withSecrets }
}

function scopeOf(organizationId: string) {
  return { endpointId: readExport.id, organizationId }
}
