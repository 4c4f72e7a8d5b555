import type { AuditSubject } from '../../../../ports/operators/audit.ts'
import type { ImportSession } from '../../../../ports/records/import-sessions.ts'
import { readRequestBody } from '../../../bounds/read-body.ts'
import { abortImport, commitImport } from '../../../imports/commit-import.ts'
import { ABANDONED_HOURS } from '../../../imports/file/limits.ts'
import { openImport } from '../../../imports/open-import.ts'
import type { ReceivedPart } from '../../../imports/file/file-parts.ts'
import { receivePart } from '../../../imports/receive-part.ts'
import { continueWriting } from '../../../imports/write-import.ts'
import type { ImportAnswer, ImportWorld } from '../../../imports/world.ts'
import type { ReplyOf } from '../../../record/operation/operation.ts'
import type { RoutedRequest } from '../../../record/operation/routed-request.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/operation/reply.ts'
import type { Change } from '../../interface/follow-change.ts'
import { servePage } from '../../interface/list.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import type { OperatorWorld } from '../../interface/world.ts'
import { published } from './import-body.ts'
import type {
  abortImportEndpoint,
  commitImportEndpoint,
  openImportEndpoint,
  showImport,
  writeImport,
} from './imports.ts'
import { FILE_REFUSED, listImports, PART_TOO_LARGE, sendImportPart } from './imports.ts'
import { unknownOrganization } from '../organization/organizations.ts'

/** How long one request writes, in ms. Another request, or the scheduled sweep, continues. */
const WRITE_MS = 500

/** How long a part may take to arrive, in ms. */
const PART_DURATION_MS = 60_000

/** Answers `POST /operator/v1/organizations/{organizationId}/imports`. */
export async function serveOpenImport(
  { params, body, change }: OperatorRequestOf<typeof openImportEndpoint>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof openImportEndpoint>> {
  return withImports(params, world, async (imports) => {
    const { dryRun = false, ...file } = body
    await change.announce({ type: 'import', id: null, kind: body.kind })
    return replyTo(concerning(change, await openImport({ ...file, isDryRun: dryRun }, imports)))
  })
}

/** Answers `PUT …/imports/{importId}/parts/{part}`. */
export async function serveSendImportPart(
  { params, request }: OperatorRequestOf<typeof sendImportPart>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof sendImportPart>> {
  const part = Number(params.part)
  if (!/^[1-9]\d{0,8}$/.test(params.part ?? ''))
    return errorReply(400, 'The number of a part is a whole number from 1 on.')
  const digest = digestIn(request.headers.get('content-digest') ?? '')
  if (digest === null)
    return errorReply(400, 'Content-Digest must be the SHA-256 of the part: sha-256=:BASE64: (RFC 9530).')
  const bounds = { maxBytes: sendImportPart.body.maxBytes, durationMs: PART_DURATION_MS }
  return withImports(params, world, async (imports) => {
    const read = await readRequestBody(request, bounds, world.deadline)
    if (read.kind === 'too_large') return errorReply(413, PART_TOO_LARGE)
    if (read.kind === 'incomplete')
      return errorReply(400, 'The part did not arrive completely. Send it again.')
    const received: ReceivedPart = { part, bytes: read.bytes, digest }
    return replyTo(await receivePart(params.importId ?? '', received, imports))
  })
}

/** The SHA-256 digest in a `Content-Digest` header, in base64url; null: the header has none. */
function digestIn(header: string): string | null {
  const [, base64] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43})=:\s*(?:,|$)/.exec(header) ?? []
  return base64?.replaceAll('+', '-').replaceAll('/', '_') ?? null
}

/** Answers `POST …/imports/{importId}/commit`. */
export async function serveCommitImport(
  { params, change }: OperatorRequestOf<typeof commitImportEndpoint>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof commitImportEndpoint>> {
  return withImports(params, world, async (imports) => {
    const { importId = '' } = params
    const session = await imports.sessions.find(importId)
    if (session === null) return unknownImport()
    await change.announce(subjectOf(session))
    return decidedReply(concerning(change, await commitImport(importId, WRITE_MS, imports)))
  })
}

/** Answers `POST …/imports/{importId}/write`. */
export async function serveWriteImport(
  { params }: OperatorRequestOf<typeof writeImport>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof writeImport>> {
  return withImports(params, world, async (imports) => {
    const session = await imports.sessions.find(params.importId ?? '')
    if (session === null) return unknownImport()
    if (session.state === 'receiving') return errorReply(409, 'The import was not committed yet.')
    const untilMs = world.clock.nowMs() + WRITE_MS
    return decidedReply({ kind: 'session', session: await continueWriting(session, untilMs, imports) })
  })
}

/** Answers `DELETE …/imports/{importId}`. */
export async function serveAbortImport(
  { params, change }: OperatorRequestOf<typeof abortImportEndpoint>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof abortImportEndpoint>> {
  return withImports(params, world, async (imports) => {
    const { importId = '' } = params
    const session = await imports.sessions.find(importId)
    if (session === null) return unknownImport()
    await change.announce(subjectOf(session))
    return replyTo(concerning(change, await abortImport(importId, imports)))
  })
}

/** Answers `GET …/imports/{importId}`. */
export async function serveShowImport(
  { params }: OperatorRequestOf<typeof showImport>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof showImport>> {
  return withImports(params, world, async ({ sessions }) => {
    const session = await sessions.find(params.importId ?? '')
    return session === null ? unknownImport() : jsonReply(200, published(session), PRIVATE)
  })
}

/** Answers `GET …/imports`. */
export async function serveImports(
  { params, query }: OperatorRequestOf<typeof listImports>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof listImports>> {
  return withImports(params, world, async ({ sessions, organization: { organizationId } }) =>
    servePage(
      query,
      {
        scope: { endpointId: listImports.id, organizationId },
        read: (after, limit) =>
          sessions.list(after === null ? null : { openedAt: String(after.value), importId: after.id }, limit),
        positionOf: ({ openedAt, importId }) => ({ value: openedAt, id: importId }),
      },
      world,
      published,
    ),
  )
}

/** What the audit says of an import. */
function subjectOf({
  importId,
  kind,
  state,
  isDryRun,
  readRows,
  changedRows,
  problems,
}: ImportSession): AuditSubject {
  return {
    type: 'import',
    id: importId,
    kind,
    rows: readRows,
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

/** Opens the imports of the organization in the path. */
async function withImports<Answer>(
  { organizationId = '' }: RoutedRequest['params'],
  { administration, imports }: OperatorWorld,
  answer: (imports: ImportWorld) => Promise<Answer>,
): Promise<Answer | ReturnType<typeof unknownOrganization>> {
  const organization = await administration.findOrganization(organizationId)
  return organization === null ? unknownOrganization(organizationId) : answer(imports(organization))
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
