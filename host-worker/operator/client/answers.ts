import { parsedOr } from '../../../domain/text/json.ts'
import { unreachable } from './connection-errors.ts'
import { CommandError, Refusal, Unavailable } from './errors.ts'

/**
 * Checks that a response is from this service and is about the request itself. Throws a `Refusal` when the key is
 * refused or its role does not suffice, `Unavailable` when the service is temporarily not reachable, and a
 * `CommandError` when the response is from something else.
 */
export async function checkAnswer(response: Response, url: string): Promise<Response> {
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
export async function valueOf(response: Response, url: string): Promise<unknown> {
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
