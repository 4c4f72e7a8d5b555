import * as v from 'valibot'
import type { AuditSubject } from '../../ports/operators.ts'
import type { ImportSession } from '../../ports/import-sessions.ts'
import { readRequestBody } from '../limits/body.ts'
import { abortImport, commitImport, openImport, receivePart, type ImportAnswer } from '../imports/sessions.ts'
import {
  ABANDONED_HOURS,
  FILE_PROBLEMS_MAX,
  LISTED_PROBLEMS_MAX,
  IDLE_MS,
  PART_BYTES,
  PART_MAX_BYTES,
  importFormats,
  FILE_MAX_BYTES,
  type ReceivedPart,
} from '../imports/file/transfer.ts'
import { continueWriting } from '../imports/write.ts'
import { ofOrganization } from '../record/command.ts'
import { jsonResponse } from '../record/operation.ts'
import { ErrorBody, errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { count, instant, jsonBody, operated } from './serve.ts'
import type { Change } from './change.ts'
import { pageOf, pageParameters, pageResponse, servePage } from './list.ts'
import { importKindNames } from '../imports/kinds.ts'
import { component, described } from '../record/meaning.ts'

const Mapping = v.record(v.string(), v.string('must be the name of a field, or empty'))

const MAPPING =
  'For CSV: the fields of columns whose names do not say it, by the names of the columns. Empty: the column is left out.'

const ATTRIBUTES =
  'For CSV: whether columns that are no field become attributes, under their own names. Only contacts have attributes.'

const ALL_PROBLEMS = `For a dry run: whether up to ${LISTED_PROBLEMS_MAX} problems are listed, so that the other rows can be imported.`

const Problem = v.strictObject({
  line: described(v.pipe(v.number(), v.integer()), 'The line of the file, counted from 1.'),
  field: described(v.string(), 'The field, as a dotted path; `(line)` for the line as a whole.'),
  message: described(v.string(), 'What is wrong with it.'),
})

const problems = described(
  v.array(Problem),
  'What is wrong with the file, in the order of the lines. With any, nothing of it is written. The list is cut.',
)

const PublishedImport = v.strictObject({
  importId: described(v.string(), 'Names the import.'),
  kind: described(v.string(), 'What the rows are.'),
  format: described(v.picklist(importFormats), 'How the file is written.'),
  state: described(
    v.picklist(['receiving', 'writing', 'done', 'checked', 'refused', 'aborted']),
    '`receiving`: parts are awaited, and nothing was written. `writing`: it was decided that every row is written, and that is not taken back; by a dry run, that every row is compared with what is stored. `done`: they are. `checked`: a dry run found nothing wrong; nothing was written. `refused`: `problems` says why; nothing was written. `aborted`: it was given up; nothing was written.',
  ),
  dryRun: described(v.boolean(), 'Whether the file is only checked. Nothing of it is ever written.'),
  mapping: described(Mapping, MAPPING),
  attributes: described(v.boolean(), ATTRIBUTES),
  allProblems: described(v.boolean(), ALL_PROBLEMS),
  totalBytes: described(count, 'The size of the file.'),
  receivedBytes: described(count, 'How much of it has come.'),
  nextPart: described(count, 'The number of the part that is awaited.'),
  partBytes: described(count, 'The size that parts should have.'),
  readRows: described(count, 'Rows that were read and checked.'),
  skippedRows: described(count, 'Rows of a CSV file that were skipped because all their cells are empty.'),
  writtenRows: described(
    count,
    'Rows that were written. A dry run compares them instead with what is stored, so that it counts here and below what an import would write; where it only checks (with `allProblems`, and rows of a point of sale), 0.',
  ),
  changedRows: described(count, 'Written rows that are new, or that replaced different content.'),
  newRows: described(
    v.nullable(count),
    'Those of them that were stored for the first time; null: that is counted only in lists of contacts.',
  ),
  mergedRows: described(
    v.nullable(count),
    'Written rows that were of the same contact as an earlier row of the file; null: it is no list of contacts.',
  ),
  problems,
  warnings: described(
    v.array(v.string()),
    'What you should know although nothing is wrong with the file, as sentences. The list is cut.',
  ),
  openedAt: described(instant, 'When it was opened.'),
  touchedAt: described(instant, 'When something last happened to it.'),
})

const ImportBody = component('Import', described(PublishedImport, 'The import of one file.'))

const RefusedBody = component(
  'RefusedImport',
  described(v.strictObject({ error: v.string(), problems }), 'Why a file was not imported.'),
)

/** SHA-256 in base64url. */
const DIGEST_LENGTH = 43

const DIGEST = new RegExp(`^[\\w-]{${DIGEST_LENGTH}}$`)

const OpenedFile = v.strictObject({
  kind: described(v.picklist(importKindNames), 'What the rows are.'),
  format: described(v.picklist(importFormats), 'How the file is written.'),
  totalBytes: described(
    v.pipe(
      v.number('must be a whole number'),
      v.safeInteger('must be a whole number'),
      v.minValue(0, 'must not be negative'),
      v.maxValue(FILE_MAX_BYTES, `must be at most ${FILE_MAX_BYTES}: cut the file`),
    ),
    'The size of the file.',
  ),
  digest: described(
    v.pipe(
      v.string('must be a string'),
      v.regex(DIGEST, `must be a SHA-256 in base64url, ${DIGEST_LENGTH} characters`),
    ),
    'SHA-256, in base64url, of the SHA-256 digests of all parts, one behind the other (32 bytes each).',
  ),
  dryRun: v.exactOptional(
    described(
      v.boolean('must be true or false'),
      'Check the file by all rules, and count what an import of it would come to. Nothing of it is ever written. Commit it as any other.',
    ),
  ),
  mapping: v.exactOptional(described(Mapping, MAPPING)),
  attributes: v.exactOptional(described(v.boolean('must be true or false'), ATTRIBUTES)),
  allProblems: v.exactOptional(described(v.boolean('must be true or false'), ALL_PROBLEMS)),
})

const sampleImport: v.InferOutput<typeof PublishedImport> = {
  importId: 'imp_3kTzB0n9QmVx1aYe5RcL0d',
  ...{ kind: 'contacts', format: 'ndjson', state: 'receiving' },
  ...{ dryRun: false, mapping: {}, attributes: false, allProblems: false },
  ...{ totalBytes: 1_048_576, receivedBytes: 524_288, nextPart: 3, partBytes: PART_BYTES },
  ...{ readRows: 1_834, skippedRows: 0, writtenRows: 0, changedRows: 0, newRows: null, mergedRows: null },
  ...{ problems: [], warnings: [] },
  openedAt: '2026-03-01T14:05:06.123Z',
  touchedAt: '2026-03-01T14:05:07.456Z',
}

/** An import in its published form. */
function published(session: ImportSession): v.InferOutput<typeof PublishedImport> {
  const { importId, kind, format, state, isDryRun, mapping, problems: found, warnings } = session
  const { totalBytes, receivedBytes, nextPart, readRows, skippedRows, writtenRows } = session
  const { changedRows, newRows, mergedRows, openedAt, touchedAt } = session
  return {
    ...{ importId, kind, format, state, dryRun: isDryRun, mapping: { ...mapping } },
    ...{ attributes: session.takesAttributes, allProblems: session.listsProblems },
    ...{ totalBytes, receivedBytes, nextPart, partBytes: PART_BYTES, readRows, skippedRows, writtenRows },
    ...{ changedRows, newRows, mergedRows, problems: [...found], warnings: [...warnings] },
    ...{ openedAt, touchedAt },
  }
}

const ALL = '/operator/v1/organizations/{organizationId}/imports'

const ONE = `${ALL}/{importId}` as const

/** Why a part is not taken. */
const PART_TOO_LARGE = `A part has at most ${PART_MAX_BYTES} bytes.`

/** Why an import was not written; its problems are listed beside this. */
const FILE_REFUSED = 'The file has problems, and nothing of it was imported.'

const common = { openTo: 'owner', needsOrganization: true, tag: 'Imports' } as const

const whereItStands = jsonResponse('Where the import stands.', ImportBody, sampleImport)

const written = { ...sampleImport, state: 'done' as const, receivedBytes: 1_048_576, nextPart: 5 }

const refused = jsonResponse('Something is wrong with the file. Nothing of it was written.', RefusedBody, {
  error: FILE_REFUSED,
  problems: [{ line: 17, field: 'contactId', message: 'is required' }],
})

export const openImportEndpoint = operated({
  id: 'imports.open',
  method: 'POST',
  path: ALL,
  access: 'admin',
  ...common,
  action: 'import.open',
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
    409: 'Conflict',
  },
  answer: async ({ body, change, organization }, world) => {
    const imports = world.imports(organization)
    const { dryRun = false, attributes = false, allProblems = false, ...given } = body
    const file = { ...given, takesAttributes: attributes, listsProblems: allProblems }
    await change.announce({ type: 'import', id: null, kind: body.kind })
    return replyTo(concerning(change, await openImport({ ...file, isDryRun: dryRun }, imports)))
  },
})

export const sendImportPart = operated({
  id: 'imports.sendPart',
  method: 'PUT',
  path: `${ONE}/parts/{part}`,
  access: 'admin',
  ...common,
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
    409: 'Conflict',
    413: jsonResponse('The part is too large.', ErrorBody, { error: PART_TOO_LARGE }),
  },
  answer: async ({ params, request, organization }, world) => {
    const part = Number(params.part)
    if (!/^[1-9]\d{0,8}$/.test(params.part ?? ''))
      return errorReply(400, 'The number of a part is a whole number from 1 on.')
    const digest = digestIn(request.headers.get('content-digest') ?? '')
    if (digest === null)
      return errorReply(400, 'Content-Digest must be the SHA-256 of the part: sha-256=:BASE64: (RFC 9530).')
    const bounds = { maxBytes: PART_MAX_BYTES, durationMs: PART_DURATION_MS }
    const imports = world.imports(organization)
    const read = await readRequestBody(request, bounds, world.deadline)
    if (read.kind === 'too_large') return errorReply(413, PART_TOO_LARGE)
    if (read.kind === 'incomplete')
      return errorReply(400, 'The part did not arrive completely. Send it again.')
    const received: ReceivedPart = { part, bytes: read.bytes, digest }
    return replyTo(await receivePart(params.importId ?? '', received, imports))
  },
})

export const commitImportEndpoint = operated({
  id: 'imports.commit',
  method: 'POST',
  path: `${ONE}/commit`,
  access: 'admin',
  ...common,
  action: 'import.commit',
  summary: 'Have an import written',
  description:
    'After the last part: checks what only the whole file shows, decides that all of it is written, and begins to. A dry run writes nothing: it counts what an import would make of each row, and ends as `checked`. The decision is never taken back; when the service is interrupted, it goes on by itself. While the answer says `writing`, call `imports.write` to have more written and to learn how far it is.',
  responses: {
    200: jsonResponse('It is being written, or done.', ImportBody, written),
    409: 'Conflict',
    422: refused,
  },
  answer: async ({ params: { importId = '' }, change, organization }, world) => {
    const imports = world.imports(organization)
    const session = await imports.sessions.find(importId)
    if (session === null) return unknownImport()
    await change.announce(subjectOf(session))
    return decidedReply(concerning(change, await commitImport(importId, WRITE_MS, imports)))
  },
})

export const writeImport = operated({
  id: 'imports.write',
  method: 'POST',
  path: `${ONE}/write`,
  access: 'admin',
  ...common,
  summary: 'Go on writing an import',
  description: 'Writes for a second or so what was committed. It may be called as often as you like.',
  responses: {
    200: jsonResponse('Where it stands now.', ImportBody, written),
    409: 'Conflict',
    422: refused,
  },
  answer: async ({ params, organization }, world) => {
    const imports = world.imports(organization)
    const session = await imports.sessions.find(params.importId ?? '')
    if (session === null) return unknownImport()
    if (session.state === 'receiving') return errorReply(409, 'The import was not committed yet.')
    const untilMs = world.clock.nowMs() + WRITE_MS
    return decidedReply({ kind: 'session', session: await continueWriting(session, untilMs, imports) })
  },
})

export const abortImportEndpoint = operated({
  id: 'imports.abort',
  method: 'DELETE',
  path: ONE,
  access: 'admin',
  ...common,
  action: 'import.abort',
  summary: 'Give an import up',
  description: 'Possible until it is committed, and for a dry run until it ends. Nothing of it was written.',
  responses: { 200: whereItStands, 409: 'Conflict' },
  answer: async ({ params: { importId = '' }, change, organization }, world) => {
    const imports = world.imports(organization)
    const session = await imports.sessions.find(importId)
    if (session === null) return unknownImport()
    await change.announce(subjectOf(session))
    return replyTo(concerning(change, await abortImport(importId, imports)))
  },
})

export const showImport = operated({
  id: 'imports.show',
  method: 'GET',
  path: ONE,
  access: 'support',
  ...common,
  summary: 'Show an import',
  description: `An import is remembered for ${ABANDONED_HOURS} hours after it ended.`,
  responses: { 200: whereItStands },
  answer: async ({ params, organization }, world) => {
    const { sessions } = world.imports(organization)
    const session = await sessions.find(params.importId ?? '')
    return session === null ? unknownImport() : jsonReply(200, published(session), PRIVATE)
  },
})

export const listImports = operated({
  id: 'imports.list',
  method: 'GET',
  path: ALL,
  access: 'support',
  ...common,
  summary: 'List the imports of an organization',
  description: `Those that are open, and those that ended less than ${ABANDONED_HOURS} hours ago, the newest first.`,
  query: pageParameters,
  responses: {
    200: pageResponse('A page of imports.', pageOf('ImportPage', PublishedImport), sampleImport),
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
        // A dry run has compared them.
        { head: 'written', of: ({ dryRun, writtenRows }) => (dryRun ? 0 : writtenRows) },
        { head: 'changed', of: ({ changedRows }) => changedRows },
        { head: 'problems', of: ({ problems }) => problems.length },
        { head: 'opened at', of: ({ openedAt }) => openedAt },
        { head: 'touched at', of: ({ touchedAt }) => touchedAt },
      ],
      piped: 'json',
    },
  ],
  answer: async ({ operation, query, organization }, world) => {
    const { sessions } = world.imports(organization)
    const { organizationId } = organization
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) => sessions.list(after, limit),
      positionOf: ({ openedAt, importId }) => ({ value: openedAt, id: importId }),
      publish: published,
    })
  },
})

/** How long one request writes, in ms. Another request, or the scheduled sweep, continues. */
const WRITE_MS = 500

/** How long a part may take to arrive, in ms. */
const PART_DURATION_MS = 60_000

/** The SHA-256 digest in a `Content-Digest` header, in base64url; null: the header has none. */
function digestIn(header: string): string | null {
  const [, base64] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43})=:\s*(?:,|$)/.exec(header) ?? []
  return base64?.replaceAll('+', '-').replaceAll('/', '_') ?? null
}

/** What the audit says of an import. */
function subjectOf(session: ImportSession): AuditSubject {
  const { importId, kind, state, isDryRun, readRows, changedRows, problems } = session
  return {
    ...{ type: 'import', id: importId, kind, rows: readRows },
    ...(isDryRun ? { dryRun: true } : {}),
    ...(state === 'done' ? { changedRows } : {}),
    ...(problems.length === 0 ? {} : { problems: problems.length }),
  }
}

/** The answer to a request that changes an import, after the audit was told how the import stands. */
function concerning(change: Change, answer: ImportAnswer): ImportAnswer {
  if (answer.kind === 'session') change.concerns(subjectOf(answer.session))
  return answer
}

function unknownImport() {
  const error = `The organization has no such import; one is remembered for ${ABANDONED_HOURS} hours after it ended.`
  return errorReply(404, error)
}

function replyTo(answer: ImportAnswer) {
  switch (answer.kind) {
    case 'session':
      return jsonReply(200, published(answer.session), PRIVATE)
    case 'missing':
      return unknownImport()
    case 'conflict':
      return errorReply(409, answer.message)
    case 'damaged':
    case 'invalid':
      return errorReply(400, answer.message)
  }
}

/** The reply to a request to decide an import. A refused import is not a success. */
function decidedReply(answer: ImportAnswer) {
  if (answer.kind !== 'session' || answer.session.state !== 'refused') return replyTo(answer)
  const { problems } = published(answer.session)
  return jsonReply(422, { error: FILE_REFUSED, problems }, PRIVATE)
}
