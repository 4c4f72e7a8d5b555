import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { LogFields, Log } from '../../../ports/log.ts'
import type { ErrorAnswer, ErrorCode } from '../protocol.ts'
import { ERROR_STATUS, HEALTH_PATH, READ_PATH, SIGNATURE_HEADERS } from '../protocol.ts'
import type { Authenticate } from './authenticate.ts'
import { DatabaseError, GatewayError } from './errors.ts'
import type { CheckedRequest } from './request.ts'
import { parseReadRequest } from './request.ts'
import type { Sources } from './sources.ts'

/** Largest body of a request, in bytes; the longest that the parameters allow is far below. */
const BODY_MAX_BYTES = 65_536
/** How long a caller may take to send its request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000
const CONNECTIONS_MAX = 1_000

export interface ServerOptions {
  readonly authenticate: Authenticate
  readonly sources: Sources
  readonly log: Log
  readonly nowMs: () => number
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What a log line tells about a request; filled in as it becomes known. */
type Facts = Record<string, string | number | null>

/** The gateway's HTTP side: a health endpoint, and signed requests to read. Every answer is JSON. */
export function createGatewayServer(options: ServerOptions): Server {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    (incoming, response) => {
      void serve(options, incoming, response)
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}

async function serve(
  options: ServerOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = incoming.url?.split('?')[0] ?? ''
  if (path === HEALTH_PATH) {
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD'
    const health = { status: 'ok', sources: options.sources.health() }
    send(incoming, response, isRead ? { status: 200, body: health } : refusal('method_not_allowed'))
    return
  }
  const startedMs = options.nowMs()
  const facts: Facts = {}
  const answer = await read(options, incoming, path, facts).catch((error: unknown) =>
    failure(options.log, error, facts),
  )
  send(incoming, response, answer)
  const fields: LogFields = { ...facts, status: answer.status, durationMs: options.nowMs() - startedMs }
  if (isForTheOperator(answer.status, facts)) options.log.error('request', fields)
  else options.log.info('request', fields)
}

/** Failures of a source, and what only a wrong configuration or a stranger brings about. */
function isForTheOperator(status: number, { code }: Facts): boolean {
  return status >= 500 || status === 401 || code === 'unknown_source'
}

async function read(
  { authenticate, sources }: ServerOptions,
  incoming: IncomingMessage,
  path: string,
  facts: Facts,
): Promise<Answer> {
  if (path !== READ_PATH) return refusal('not_found')
  if (incoming.method !== 'POST') return refusal('method_not_allowed')
  const body = await bodyOf(incoming)
  authenticate({
    timestamp: headerOf(incoming, SIGNATURE_HEADERS.timestamp),
    nonce: headerOf(incoming, SIGNATURE_HEADERS.nonce),
    signature: headerOf(incoming, SIGNATURE_HEADERS.signature),
    body,
  })
  const request = parseReadRequest(body.toString('utf8'))
  noteRequest(facts, request)
  const answer = await sources.read(request)
  facts.rows = 'rows' in answer ? answer.rows.length : Number(answer.row !== null)
  return { status: 200, body: answer }
}

function noteRequest(facts: Facts, { source, collection, kind }: CheckedRequest): void {
  facts.kind = source.kind
  // A caller that holds the secret chose it, so it is the operator's own name for an organization.
  facts.tenant = source.tenant
  facts.statement = `${collection}.${kind}`
}

/** A header that stands once in the request; null otherwise. */
function headerOf(incoming: IncomingMessage, name: string): string | null {
  const values = incoming.headersDistinct[name] ?? []
  return values.length === 1 ? (values[0] ?? null) : null
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += (chunk as Buffer).length
    if (bytes > BODY_MAX_BYTES)
      throw new GatewayError('body_too_large', `The body exceeds ${BODY_MAX_BYTES} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** What a failed request is answered with. What the database said is for the log alone. */
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
  return refusal('internal_error')
}

const FIXED_MESSAGES: Partial<Record<ErrorCode, string>> = {
  not_found: 'There is nothing at this path',
  method_not_allowed: 'This method is not allowed here',
  internal_error: 'The gateway failed; its log says more',
}

function refusal(code: ErrorCode, message = FIXED_MESSAGES[code] ?? code): Answer {
  const body: ErrorAnswer = { error: { code, message } }
  return { status: ERROR_STATUS[code], body }
}

function send(incoming: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    // What is left of a request that was not read to its end would be taken for the next one.
    ...(incoming.complete ? {} : { connection: 'close' }),
  }
  response.writeHead(status, headers).end(incoming.method === 'HEAD' ? undefined : bytes)
}
