import type { OperationEndpoint, AnswerTo, CallOf } from '../../../domain/record/operation.ts'
import { utf8, parsedOr } from '../../../domain/text/encoding.ts'
import { requestFor, type Content } from '../../../domain/text/http.ts'
import { proveRootSecret, type ProvenRequest } from '../../../domain/access/operator-credentials.ts'
import { OPERATOR_KEY_PREFIX, readOperatorKey } from '../../../domain/access/keys.ts'
import { openSecrets, rootSecretProblem } from '../../../domain/access/secrets.ts'
import type { Clock } from '../../../ports/platform.ts'
import {
  doublingPauses,
  repeatWhileRejected,
  type Backoff,
  type Repeating,
} from '../../../domain/limits/waiting.ts'
import type { PageBody } from '../../../domain/operators/list.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'

/** The operator interface of one service, called with one operator key. */
export interface OperatorService {
  /** The service's address, for messages. */
  readonly url: string
  /** The state directory of the local service; null: the service is not the local one. */
  readonly stateDirectory: string | null
  /**
   * Calls an operation of the interface and returns the body of its answer. Throws a `Refusal` when the service refuses the call, and another
   * `CommandError` when the service cannot be reached or the response is not from it.
   */
  call<Operation extends OperationEndpoint>(
    operation: Operation,
    call?: CallOf<Operation>,
  ): Promise<AnswerTo<Operation>>
  /**
   * Sends a request with any body and returns the response. Throws as `call` does, except that every response about the
   * request itself is returned, whatever its status.
   */
  send(method: string, path: string, init?: Partial<Content>): Promise<Response>
}

/** How to reach a service, and how to authorize requests. */
export interface Connection {
  /** The address: scheme and host, and an optional path before that of the operations. */
  readonly url: string
  readonly stateDirectory: string | null
  readonly authorization: Authorization
  /** How requests are sent. Left out: over the network. */
  readonly reach?: Reach
}

/** The operator interface of a connection. No I/O before the first call. */
export function callService(connection: Connection): OperatorService {
  const { url, stateDirectory } = connection
  const send: OperatorService['send'] = (method, path, init = {}) =>
    sendRequest({ method, path, ...init }, connection)
  return {
    url,
    stateDirectory,
    send,
    async call<Operation extends OperationEndpoint>(operation: Operation, call: CallOf<Operation> = {}) {
      const { path, ...init } = requestFor(operation.path, call, nothingThere)
      const response = await send(operation.method, path, init)
      // The body need not be checked: the service's own tests check that every response fits its declaration.
      return (await valueOf(response, url)) as AnswerTo<Operation>
    },
  }
}

/** The command was called with wrong arguments. Exit code 2, with the way to its usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command cannot do what it was asked: exit code 1. The message says why and what to do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** The service refused a call. The message is the service's own sentence. */
export class Refusal extends CommandError {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The error for an id that no request can name. */
export function nothingThere(sentence: string): Refusal {
  return new Refusal(404, sentence)
}

/** The service was not reached, or is temporarily not available. The same call may succeed later. */
export class Unavailable extends CommandError {
  override readonly name = 'Unavailable'
}

/** The longest time that one request may take. */
const TIMEOUT_MS = 60_000

/**
 * Headers for requests to a service on this machine. Its runtime closes a connection that was idle for five seconds, and a
 * request that is sent at that moment breaks; a command on a busy machine may take as long between two of them. A new
 * connection costs nothing here.
 */
export const ON_NEW_CONNECTION = { connection: 'close' } as const

/** Sends a request, as `fetch` does. */
export type Reach = (request: Request) => Promise<Response>

/** A request of the operator interface, without the address of the service. */
interface OperatorRequest extends Partial<Content> {
  readonly method: string
  /** The path, with the query if there is one. */
  readonly path: string
}

/**
 * Sends an authorized request and returns the response. Throws when there is no response, or one that is not about the
 * request itself; see `checkAnswer`.
 */
async function sendRequest(
  { method, path, headers = {}, body }: OperatorRequest,
  { url, stateDirectory, authorization, reach = fetch }: Connection,
): Promise<Response> {
  const bytes = typeof body === 'string' ? utf8(body) : body
  const request = new Request(url + path, {
    method,
    headers: {
      ...headers,
      ...(stateDirectory === null || reach !== fetch ? {} : ON_NEW_CONNECTION),
      accept: 'application/json',
      authorization: await authorization({ host: new URL(url).host, body: bytes ?? new Uint8Array() }),
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(bytes === undefined ? {} : { body: bytes }),
  })
  let response: Response
  try {
    response = await reach(request)
  } catch (error) {
    throw unreachable(url, error)
  }
  return checkAnswer(response, url)
}

/** Makes the `Authorization` header of a request to this host with this body. */
export type Authorization = (request: ProvenRequest) => Promise<string>

/**
 * Authorization with an operator key. Throws a `CommandError` for text that cannot be an operator key, so that it is
 * never sent.
 */
export function byKey(key: string): Authorization {
  if (readOperatorKey(key) === null)
    throw new CommandError(
      `The operator key is not one: it begins with ${OPERATOR_KEY_PREFIX} and must be complete. Keys of organizations and of the platform are refused here.`,
    )
  return async () => `Bearer ${key}`
}

/**
 * Authorization with a proof of the root secret, which itself is not sent. Throws a `CommandError` for text that cannot
 * be a root secret.
 */
export function byRootSecret(rootSecret: string, clock: Clock): Authorization {
  const problem = rootSecretProblem(rootSecret)
  if (problem !== null) throw new CommandError(`ROOT_SECRET ${problem}.`)
  return async (request) => {
    const { current } = await openSecrets(rootSecret, null)
    return proveRootSecret(current, request, clock.nowMs())
  }
}

/**
 * Checks that a response is from this service and is about the request itself. Throws a `Refusal` when the key is
 * refused or its role does not suffice, `Unavailable` when the service is temporarily not reachable, and a
 * `CommandError` when the response is from something else.
 */
async function checkAnswer(response: Response, url: string): Promise<Response> {
  const { status } = response
  if (status >= 300 && status < 400) throw leadsElsewhere(response, url)
  if (status !== 204 && !isJson(response)) {
    await response.body?.cancel()
    if (status >= 500)
      throw new Unavailable(
        `The service at ${url} is not available (status ${status}). Try again in a moment.`,
      )
    throw foreign(response, url)
  }
  if (status === 401) throw keyRefused(url)
  if (status === 403) throw refusalOf(response, await read(response, url), url)
  return response
}

/**
 * The JSON value of a successful response; null when it has no body. Any other response is thrown as a `Refusal` with
 * the sentence in its body.
 */
async function valueOf(response: Response, url: string): Promise<unknown> {
  if (response.status === 204) return null
  const value = await read(response, url)
  if (response.ok) return value
  throw refusalOf(response, value, url)
}

async function read(response: Response, url: string): Promise<unknown> {
  const value = parsedOr(await textOf(response, url), undefined)
  if (value === undefined) throw foreign(response, url)
  return value
}

/** The body of a response, as text. Throws `Unavailable` when the connection breaks before the body has come whole. */
export async function textOf(response: Response, url: string): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw unreachable(url, error)
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true
}

function keyRefused(url: string): Refusal {
  return new Refusal(
    401,
    `The service at ${url} does not accept this operator key: it is unknown, revoked or expired. Ask an admin for another one.`,
  )
}

/**
 * The error for a refused request, with the service's sentence. An internal failure is identified by its request id, as
 * in the service's log.
 */
function refusalOf(response: Response, value: unknown, url: string): CommandError {
  const { status, headers } = response
  if (typeof value !== 'object' || value === null || !('error' in value) || typeof value.error !== 'string')
    return foreign(response, url)
  const requestId = headers.get('x-request-id') ?? ''
  const isNamed = status < 500 || value.error.includes(requestId)
  return new Refusal(status, isNamed ? value.error : `${value.error} (${requestId})`)
}

function leadsElsewhere({ headers }: Response, url: string): CommandError {
  const to = headers.get('location')
  const where = to === null ? 'elsewhere' : `to ${to}`
  return new CommandError(`${url} leads ${where}. Give the address of the service itself.`)
}

/** The error for a response that this service would not give. */
export function foreign({ status, headers }: Response, url: string): CommandError {
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing'
  return new CommandError(
    `${url} is not the address of this service: it answered with status ${status} and ${type}.`,
  )
}

/** The meanings of the error codes of a failed connection, each as the end of a sentence. */
const meanings: readonly (readonly [codes: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'there is no such host, or the name server does not answer'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'the network does not reach it'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ALTNAME/, 'its certificate is not trusted'],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'it does not speak TLS there'],
  [/TIMEOUT|^ETIMEDOUT$/, 'it did not answer in time'],
  [/^HPE/, 'it does not speak HTTP there'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection broke'],
]

/** The error for a service that could not be reached. */
export function unreachable(url: string, error: unknown): Unavailable {
  const code = codeOf(error)
  const meaning = meanings.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed'
  const shown = code === '' ? '' : ` (${code})`
  return new Unavailable(`Cannot reach the service at ${url}: ${meaning}${shown}.`, { cause: error })
}

/** The code of an error, or of its cause: network errors are the cause of the error that is thrown. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.name === 'TimeoutError') return 'ETIMEDOUT'
  if (error.name === 'HTTPParserError') return 'HPE'
  if ('code' in error && typeof error.code === 'string') return error.code
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause
  return codeOf(inner)
}

/** About a minute in all: long enough for a service to restart. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(100, 12, 8_000), spread: { least: 0.5, most: 1.5 } }

const repeating: Repeating = {
  isPassing: (rejection) =>
    rejection instanceof Unavailable || (rejection instanceof Refusal && rejection.status >= 500),
  draw: () => Math.random(),
  // The Worker of a developer's machine, which has no modules of Node, imports its demo with this.
  wait: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
}

/**
 * Makes a call that is safe to repeat: again after a moment when the service was not reached, or failed. Rejects with
 * the error of the last attempt.
 */
export function repeated<Result>(call: () => Promise<Result>): Promise<Result> {
  return repeatWhileRejected(BACKOFF, repeating, call)
}

/** An item of the pages with which an operation replies. */
type ItemOf<Operation extends OperationEndpoint> =
  AnswerTo<Operation> extends PageBody<infer Item> ? Item : never

/**
 * Yields every item of a list, page by page. When databases did not respond, throws a `CommandError` that names them,
 * after all other items, also when its reader wants no more of them.
 * @param note called for families whose creation was never finished
 */
export async function* itemsOf<Operation extends OperationEndpoint>(
  service: OperatorService,
  operation: Operation,
  call: CallOf<Operation> = {},
  note: (line: string) => void = () => undefined,
): AsyncGenerator<ItemOf<Operation>> {
  let cursor: string | null = null
  const missing: string[] = []
  const begun: string[] = []
  let isWhole = true
  try {
    do {
      isWhole = false
      const query = { limit: PAGE_ROWS_MAX, ...call.query, ...(cursor === null ? {} : { cursor }) }
      const answer: unknown = await service.call(operation, { ...call, query } as CallOf<Operation>)
      // The compiler cannot infer the type of the page from the operation.
      const { data, pagination, unanswered = [], unfinished = [] } = answer as PageBody<ItemOf<Operation>>
      missing.push(...unanswered)
      begun.push(...unfinished)
      isWhole = true
      yield* data
      cursor = pagination.nextCursor
    } while (cursor !== null)
  } finally {
    // A page that failed says so itself.
    if (isWhole) {
      noteUnfinished(begun, note)
      failOnMissing(missing)
    }
  }
}

/** Names families whose creation was never finished. They hold nothing, so that nothing is missing because of them. */
export function noteUnfinished(familyIds: readonly string[], note: (line: string) => void): void {
  if (familyIds.length === 0) return
  note(`Begun and never finished: ${namesOf(familyIds)}. "org create" takes that up again.`)
}

/** Throws when families' own databases did not respond, because what was printed is then incomplete. */
export function failOnMissing(familyIds: readonly string[]): void {
  if (familyIds.length === 0) return
  throw new CommandError(
    `What the databases of these families hold is missing, because they did not answer: ${namesOf(familyIds)}.`,
  )
}

function namesOf(familyIds: readonly string[]): string {
  return [...new Set(familyIds)].toSorted().join(', ')
}
