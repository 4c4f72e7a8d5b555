import { utf8 } from '../../../domain/text/encoding.ts'
import type { Authorization } from './authorization.ts'
import { checkAnswer } from './answers.ts'
import { unreachable } from './connection-errors.ts'

/** The longest time that one request may take. */
const TIMEOUT_MS = 60_000

/** Sends a request, as `fetch` does. */
export type Reach = (request: Request) => Promise<Response>

/** A request of the operator interface, without the address of the service. */
export interface OperatorRequest {
  readonly method: string
  /** The path, with the query if there is one. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

interface Target {
  readonly url: string
  readonly authorization: Authorization
  readonly reach?: Reach
}

/**
 * Sends an authorized request and returns the response. Throws when there is no response, or one that is not about the
 * request itself; see `checkAnswer`.
 */
export async function sendRequest(
  { method, path, headers = {}, body }: OperatorRequest,
  { url, authorization, reach = fetch }: Target,
): Promise<Response> {
  const bytes = typeof body === 'string' ? utf8(body) : body
  const request = new Request(url + path, {
    method,
    headers: {
      ...headers,
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
