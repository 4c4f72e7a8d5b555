import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { Authorization } from './authorization.ts'
import { valueOf } from './answers.ts'
import { Refusal } from './errors.ts'
import type { AnswerTo, CallOf, OperatorService } from './service/operator-service.ts'
import { sendRequest, type Reach } from './send-request.ts'

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
      const { path, init } = requestFor(operation, call as AnyCall)
      const response = await send(operation.method, path, init)
      const answer = { status: response.status, body: await valueOf(response, url) }
      // The body need not be checked: the service's own tests check that every response fits its declaration.
      return answer as AnswerTo<Operation>
    },
  }
}

/** A call of any operation. */
interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
}

function requestFor(operation: OperationEndpoint, { params = {}, query = {}, body }: AnyCall) {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)])
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
  const path = pathWith(operation.path, params) + search
  if (body === undefined) return { path, init: {} }
  const headers = { 'content-type': 'application/json' }
  return { path, init: { headers, body: JSON.stringify(body) } }
}

/**
 * A path with its parameters filled in. Throws for a value that URLs would drop, or that would lead to another path.
 */
export function pathWith(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name] ?? ''
    if (/^\.{0,2}$/.test(value))
      throw new Refusal(404, `There is nothing with the id ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
}
