import * as v from 'valibot'
import {
  ABANDONED_HOURS,
  IDLE_MS,
  PART_BYTES,
  PART_MAX_BYTES,
  FILE_PROBLEMS_MAX,
} from '../../../imports/file/limits.ts'
import { ofOrganization } from '../../../record/operation/command.ts'
import { jsonResponse, operation } from '../../../record/operation/operation.ts'
import { ErrorBody } from '../../../record/operation/reply.ts'
import { jsonBody } from '../../interface/body.ts'
import { pageOf, pageParameters, samplePagination } from '../../interface/list.ts'
import { ImportBody, OpenedFile, PublishedImport, RefusedBody, sampleImport } from './import-body.ts'

const ALL = '/operator/v1/organizations/{organizationId}/imports'
const ONE = `${ALL}/{importId}` as const

/** Why a part is not taken. */
export const PART_TOO_LARGE = `A part has at most ${PART_MAX_BYTES} bytes.`
/** Why an import was not written; its problems are listed beside this. */
export const FILE_REFUSED = 'The file has problems, and nothing of it was imported.'

const whereItStands = jsonResponse('Where the import stands.', ImportBody, sampleImport)
const written = { ...sampleImport, state: 'done' as const, receivedBytes: 1_048_576, nextPart: 5 }

const refused = jsonResponse('Something is wrong with the file. Nothing of it was written.', RefusedBody, {
  error: FILE_REFUSED,
  problems: [{ line: 17, field: 'contactId', message: 'is required' }],
})

export const openImportEndpoint = operation({
  id: 'imports.open',
  method: 'POST',
  path: ALL,
  access: 'admin',
  action: 'import.open',
  tag: 'Imports',
  summary: 'Open an import',
  description: `Begins the import of a file, or takes up the one of the same file that was interrupted: \`nextPart\` says from where. An organization has one import of a kind at a time; another file waits until it ends, or until nothing has come for it for ${IDLE_MS / 1000} seconds. Then send the parts, and commit. Until then nothing of the organization's data is touched. In a CSV file, columns are found by the names of their fields, whatever the case, spaces, \`_\` and \`-\`; \`mapping\` names the others. Cells are separated by commas, semicolons or tabs.`,
  body: jsonBody(OpenedFile, {
    kind: 'contacts',
    format: 'ndjson',
    totalBytes: 1_048_576,
    digest: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  }),
  responses: {
    200: jsonResponse('It is open.', ImportBody, { ...sampleImport, receivedBytes: 0, nextPart: 1 }),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

export const sendImportPart = operation({
  id: 'imports.sendPart',
  method: 'PUT',
  path: `${ONE}/parts/{part}`,
  access: 'admin',
  tag: 'Imports',
  summary: 'Send a part of a file',
  description: `The next bytes of the file, which may end anywhere, also within a line. Parts are numbered from 1 and come in order, of ${PART_BYTES} bytes each but the last. The lines are checked at once: \`problems\` says what is wrong so far, and after ${FILE_PROBLEMS_MAX} problems the import is \`refused\`. Send a part again when no answer came: one that was taken before is answered as the first time.`,
  headers: {
    'Content-Digest': {
      description: 'SHA-256 of the part (RFC 9530), by which one that was cut on its way is recognised.',
      schema: v.string(),
      example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
    },
  },
  body: {
    description: `From 1 to ${PART_MAX_BYTES} bytes, uncompressed.`,
    maxBytes: PART_MAX_BYTES,
    contentTypes: ['application/octet-stream'],
    schema: v.string(),
    example: '{"contactId":"c-1","email":"ada@example.com"}\n',
  },
  responses: {
    200: whereItStands,
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
    413: jsonResponse('The part is too large.', ErrorBody, {
      error: PART_TOO_LARGE,
    }),
  },
})

export const commitImportEndpoint = operation({
  id: 'imports.commit',
  method: 'POST',
  path: `${ONE}/commit`,
  access: 'admin',
  action: 'import.commit',
  tag: 'Imports',
  summary: 'Have an import written',
  description:
    'After the last part: checks what only the whole file shows, decides that all of it is written, and begins to; a dry run ends here as `checked`. The decision is never taken back; when the service is interrupted, it goes on by itself. While the answer says `writing`, call `imports.write` to have more written and to learn how far it is.',
  responses: {
    200: jsonResponse('It is being written, or done.', ImportBody, written),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
    422: refused,
  },
})

export const writeImport = operation({
  id: 'imports.write',
  method: 'POST',
  path: `${ONE}/write`,
  access: 'admin',
  tag: 'Imports',
  summary: 'Go on writing an import',
  description: 'Writes for a second or so what was committed. It may be called as often as you like.',
  responses: {
    200: jsonResponse('Where it stands now.', ImportBody, written),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
    422: refused,
  },
})

export const abortImportEndpoint = operation({
  id: 'imports.abort',
  method: 'DELETE',
  path: ONE,
  access: 'admin',
  action: 'import.abort',
  tag: 'Imports',
  summary: 'Give an import up',
  description: 'Possible until it is committed. Nothing of it was written.',
  responses: { 200: whereItStands, 400: 'BadRequest', 404: 'NotFound', 409: 'Conflict' },
})

export const showImport = operation({
  id: 'imports.show',
  method: 'GET',
  path: ONE,
  access: 'support',
  tag: 'Imports',
  summary: 'Show an import',
  description: `An import is remembered for ${ABANDONED_HOURS} hours after it ended.`,
  responses: { 200: whereItStands, 400: 'BadRequest', 404: 'NotFound' },
})

export const listImports = operation({
  id: 'imports.list',
  method: 'GET',
  path: ALL,
  access: 'support',
  tag: 'Imports',
  summary: 'List the imports of an organization',
  description: `Those that are open, and those that ended less than ${ABANDONED_HOURS} hours ago, the newest first.`,
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of imports.', pageOf('ImportPage', PublishedImport), {
      data: [sampleImport],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['imports'],
      flags: { org: ofOrganization() },
      summary: "Print an organization's imports, newest first",
      details: [
        'Those that are open, and those that ended less than a day ago. JSON also has their format, totalBytes,',
        'receivedBytes, nextPart, partBytes, and each problem.',
      ],
      examples: ['--org lakeside', '--org lakeside --limit 1 --json'],
      columns: [
        { head: 'import', of: ({ importId }) => importId },
        { head: 'kind', of: ({ kind }) => kind },
        { head: 'state', of: ({ state }) => state },
        { head: 'read', of: ({ readRows }) => readRows },
        { head: 'written', of: ({ writtenRows }) => writtenRows },
        { head: 'changed', of: ({ changedRows }) => changedRows },
        { head: 'problems', of: ({ problems }) => problems.length },
        { head: 'opened at', of: ({ openedAt }) => openedAt },
        { head: 'touched at', of: ({ touchedAt }) => touchedAt },
      ],
      piped: 'json',
    },
  ],
})
