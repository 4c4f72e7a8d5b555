import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isLoopbackHost } from '../../../domain/text/http.ts'
import type { LogFields, Log } from '../../../ports/platform.ts'
import {
  ERROR_STATUS,
  HEALTH_PATH,
  READ_PATH,
  SIGNATURE_HEADERS,
  type ErrorAnswer,
  type ErrorCode,
} from '../protocol.ts'
import { DatabaseError, GatewayError } from './errors.ts'
import { parseReadRequest, type Authenticate, type CheckedRequest } from './request.ts'
import type { Sources } from './sources.ts'

interface ServerOptions {
  readonly authenticate: Authenticate
  readonly sources: Sources
  readonly log: Log
  readonly nowMs: () => number
  /** Whether only requests to a name of this machine are answered. */
  readonly localOnly: boolean
}

/** Largest body of a request, in bytes; the longest that the parameters allow is far below. */
const BODY_MAX_BYTES = 65_536
/** How long a caller may take to send its request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000
const CONNECTIONS_MAX = 1_000

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What a log line tells about a request; filled in as it becomes known. */
type Facts = Record<string, string | number | null>

/** A request that is being answered. */
interface Request {
  readonly incoming: IncomingMessage
  readonly path: string
  readonly facts: Facts
  /** Whether the request was signed with the secret. */
  isSigned: boolean
}

type ServerParts = ServerOptions & { readonly strangers: Strangers }

/** The gateway's HTTP side: a health endpoint, and signed requests to read. Every answer is JSON. */
export function createGatewayServer(options: ServerOptions): Server {
  const parts = { ...options, strangers: createStrangers(options.log) }
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    (incoming, response) => {
      void serve(parts, incoming, response)
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}

async function serve(
  options: ServerParts,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = incoming.url?.split('?')[0] ?? ''
  const request: Request = { incoming, path, facts: {}, isSigned: false }
  const startedMs = options.nowMs()
  const answer = await answerTo(options, request).catch((error: unknown) =>
    failure(options.log, error, request.facts),
  )
  send(incoming, response, answer)
  note(options, request, answer.status, options.nowMs() - startedMs)
}

/** Logs the request. An unsigned request is only counted, unless the gateway itself failed. */
function note(
  { log, strangers }: ServerParts,
  { facts, isSigned, path }: Request,
  status: number,
  durationMs: number,
): void {
  if (!isSigned && status < 500) {
    if (status !== 200) strangers.note(String(facts.code))
    return
  }
  const fields: LogFields = { ...facts, status, durationMs }
  if (isForTheOperator(status, facts)) log.error('request', fields)
  else if (path !== HEALTH_PATH) log.info('request', fields)
}

/**
 * Whether an operator should see a failed request: a source failed, or the cause is a wrong configuration, a wrong
 * clock or a repeated request.
 */
function isForTheOperator(status: number, { code }: Facts): boolean {
  return status >= 500 || status === 401 || code === 'unknown_source'
}

async function answerTo(options: ServerParts, request: Request): Promise<Answer> {
  const { method, headers } = request.incoming
  if (options.localOnly && !isLoopbackHost(headers.host))
    throw new GatewayError('wrong_host', 'This gateway answers only requests to this machine')
  switch (request.path) {
    case READ_PATH:
      if (method === 'POST') return read(options, request)
      throw new GatewayError('method_not_allowed', 'This method is not allowed here')
    case HEALTH_PATH:
      if (method === 'GET' || method === 'HEAD') return health(options, request)
      throw new GatewayError('method_not_allowed', 'This method is not allowed here')
    default:
      throw new GatewayError('not_found', 'There is nothing at this path')
  }
}

/** Tells anyone that the gateway runs. Only a caller with the secret also learns how its sources are. */
async function health({ authenticate, sources }: ServerParts, request: Request): Promise<Answer> {
  const { incoming } = request
  if (headerOf(incoming, SIGNATURE_HEADERS.signature) === null) return { status: 200, body: { status: 'ok' } }
  prove(authenticate, request, await bodyOf(incoming))
  return { status: 200, body: { status: 'ok', sources: sources.health() } }
}

async function read({ authenticate, sources }: ServerParts, request: Request): Promise<Answer> {
  const { facts, incoming } = request
  const body = await bodyOf(incoming)
  prove(authenticate, request, body)
  const asked = parseReadRequest(body.toString('utf8'))
  noteRequest(facts, asked)
  const answer = await sources.read(asked)
  facts.rows = 'rows' in answer ? answer.rows.length : Number(answer.row !== null)
  return { status: 200, body: answer }
}

/** The refusals of requests that nobody with a secret has signed. All other refusals are of signed requests. */
const UNSIGNED: readonly string[] = ['signature_missing', 'signature_wrong'] satisfies readonly ErrorCode[]

/** Throws a `GatewayError` for a request that is not signed, or was seen before. */
function prove(authenticate: Authenticate, request: Request, body: Buffer): void {
  const { incoming, path } = request
  try {
    authenticate({
      method: incoming.method ?? '',
      path,
      timestamp: headerOf(incoming, SIGNATURE_HEADERS.timestamp),
      nonce: headerOf(incoming, SIGNATURE_HEADERS.nonce),
      signature: headerOf(incoming, SIGNATURE_HEADERS.signature),
      body,
    })
    request.isSigned = true
  } catch (error) {
    request.isSigned = error instanceof GatewayError && !UNSIGNED.includes(error.code)
    throw error
  }
}

function noteRequest(facts: Facts, { source, collection, kind }: CheckedRequest): void {
  facts.kind = source.kind
  // The tenant's name is logged only for a caller that has the secret, so it is the operator's own name for an
  // organization.
  facts.tenant = source.tenant
  facts.statement = `${collection}.${kind}`
}

/** The value of a header that occurs once in the request; null otherwise. */
function headerOf(incoming: IncomingMessage, name: string): string | null {
  const values = incoming.headersDistinct[name] ?? []
  return values.length === 1 ? (values[0] ?? null) : null
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  // Nothing sets an encoding, so a request gives its body as buffers.
  const body: AsyncIterable<Buffer> = incoming
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > BODY_MAX_BYTES) break
      chunks.push(chunk)
    }
  } catch {
    // The client that sent the request has disconnected.
    throw new GatewayError('invalid_request', 'The request broke off')
  }
  if (bytes > BODY_MAX_BYTES)
    throw new GatewayError('body_too_large', `The body exceeds ${BODY_MAX_BYTES} bytes`)
  return Buffer.concat(chunks)
}

/** The answer to a failed request. The database's own message goes to the log only. */
function failure(log: Log, error: unknown, facts: Facts): Answer {
  if (error instanceof GatewayError) {
    facts.code = error.code
    if (error.code === 'unreadable_row') facts.reason = error.message
    return refusal(error.code, error.message)
  }
  if (error instanceof DatabaseError) {
    facts.code = 'source_unavailable'
    facts.sqlState = error.state
    facts.reason = error.textForLog()
    return refusal('source_unavailable', 'The source cannot be read now')
  }
  facts.code = 'internal_error'
  log.error('request_failed', {}, error)
  return refusal('internal_error', 'The gateway failed; its log says more')
}

function refusal(code: ErrorCode, message: string): Answer {
  const body: ErrorAnswer = { error: { code, message } }
  return { status: ERROR_STATUS[code], body }
}

function send(incoming: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    // When a request was not read to its end, the rest would be taken for the next request on this connection. So the
    // connection is closed.
    ...(incoming.complete ? {} : { connection: 'close' }),
  }
  response.writeHead(status, headers).end(incoming.method === 'HEAD' ? undefined : bytes)
}

/** The minimum time between two log lines about unsigned requests, in milliseconds. */
const PERIOD_MS = 60_000

/** Counts unsigned requests. */
interface Strangers {
  /** @param code what the request was refused with */
  note(code: string): void
}

/**
 * Counts unsigned requests by the reason of their refusal, and logs them together, at most one line of level `info` a
 * minute. Anyone on the network can send as many as they like, so a line for each would bury what the operator must
 * see.
 */
export function createStrangers(log: Log): Strangers {
  let counts: Readonly<Record<string, number>> = {}
  let timer: NodeJS.Timeout | null = null

  const report = (): void => {
    timer = null
    if (Object.keys(counts).length === 0) return
    log.info('unsigned_requests', counts)
    counts = {}
    timer = setTimeout(report, PERIOD_MS)
    timer.unref()
  }

  return {
    note(code) {
      counts = { ...counts, [code]: (counts[code] ?? 0) + 1 }
      if (timer === null) report()
    },
  }
}
