import type { OperatorOperationId } from '../../../domain/operator-catalog.ts'
import { operatorEndpoints } from '../../../domain/operator-catalog.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { Authorization } from './authorization.ts'
import { unreachable } from './connection-errors.ts'
import { CommandError, Refusal } from './errors.ts'
import type { AnswerTo, CallOf, OperatorService } from './operator-service.ts'

/** The longest time that one call may take. */
const TIMEOUT_MS = 30_000

/** How to reach a service, and how to prove who calls. */
export interface Connection {
  /** Its address: scheme and host, perhaps a path before that of the operations. */
  readonly url: string
  readonly stateDirectory: string | null
  /** The `Authorization` header of a request with this body. */
  readonly authorization: Authorization
  /** Left out: the network. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** The operator interface behind a connection. No I/O before the first call. */
export function callService(connection: Connection): OperatorService {
  return {
    url: connection.url,
    stateDirectory: connection.stateDirectory,
    async call<Id extends OperatorOperationId>(id: Id, call: CallOf<Id> = {}) {
      const response = await send(await requestFor(id, call as AnyCall, connection), connection)
      const answer = { status: response.status, body: await bodyOf(response, connection.url) }
      // The service answers what the record declares: its own tests check that of every answer.
      return answer as AnswerTo<Id>
    },
  }
}

/** A call of whatever operation. */
interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}

async function requestFor(
  id: OperatorOperationId,
  { params = {}, query = {}, body }: AnyCall,
  { url, authorization }: Connection,
): Promise<Request> {
  const endpoint = operatorEndpoints.find((candidate) => candidate.id === id)
  if (endpoint === undefined) throw new Error(`There is no operation ${id}`)
  const target = new URL(url.replace(/\/$/, '') + pathWith(endpoint.path, params))
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value))
  const bytes = body === undefined ? new Uint8Array() : utf8(JSON.stringify(body))
  const headers = new Headers({ authorization: await authorization(bytes), accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  return new Request(target, {
    method: endpoint.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: bytes }),
  })
}

/** A path with its parameters. One that URLs drop, or that would lead to another path, names nothing. */
function pathWith(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name] ?? ''
    if (/^\.{0,2}$/.test(value)) throw new Refusal(404, `There is nothing with the id ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
}

async function send(request: Request, { url, fetch: reach = fetch }: Connection): Promise<Response> {
  try {
    return await reach(request)
  } catch (error) {
    throw unreachable(url, error)
  }
}

/** The value of a good answer. Throws the sentence about any other one. */
async function bodyOf(response: Response, url: string): Promise<unknown> {
  const { status } = response
  if (status >= 300 && status < 400) {
    const to = response.headers.get('location')
    throw new CommandError(`${url} leads elsewhere${to === null ? '' : `, to ${to}`}. Give the address of the service itself.`)
  }
  if (status === 204) return null
  const value = await valueOf(response, url)
  if (response.ok && value !== undefined) return value
  const sentence = errorOf(value)
  if (sentence !== null) throw refusal(status, sentence, response, url)
  throw status >= 500
    ? new CommandError(`The service at ${url} is not available (status ${status}). Try again in a moment.`)
    : foreign(response, url)
}

/** The JSON value of an answer; undefined: it is something else. */
async function valueOf(response: Response, url: string): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  try {
    const text = await response.text()
    return isJson ? (JSON.parse(text) as unknown) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw unreachable(url, error)
  }
}

function errorOf(value: unknown): string | null {
  const isObject = typeof value === 'object' && value !== null
  return isObject && 'error' in value && typeof value.error === 'string' ? value.error : null
}

function refusal(status: number, sentence: string, response: Response, url: string): CommandError {
  if (status === 401)
    return new Refusal(
      401,
      `The service at ${url} does not accept this operator key: it is unknown, revoked or expired. Ask an admin for another one.`,
    )
  const requestId = status >= 500 ? response.headers.get('x-request-id') : null
  return new Refusal(status, requestId === null || sentence.includes(requestId) ? sentence : `${sentence} (${requestId})`)
}

function foreign({ status, headers }: Response, url: string): CommandError {
  const type = headers.get('content-type')?.split(';')[0] ?? 'no content type'
  return new CommandError(
    `${url} is not the address of this service: it answered with status ${status} and ${type}.`,
  )
}
