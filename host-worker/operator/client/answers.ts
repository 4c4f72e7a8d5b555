import { unreachable } from './connection-errors.ts'
import { CommandError, Refusal, Unavailable } from './errors.ts'

/**
 * Checks that an answer comes from this service and is about the request. Throws a `Refusal` when the key is refused or
 * its role is not enough, `Unavailable` when the service is not there for the moment, and a `CommandError` when something
 * else answers at this address.
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

/** The JSON value of a good answer; null when it has no body. Throws the sentence of any other answer as a `Refusal`. */
export async function valueOf(response: Response, url: string): Promise<unknown> {
  if (response.status === 204) return null
  const value = await read(response, url)
  if (response.ok) return value
  throw refusalOf(response, value, url)
}

async function read(response: Response, url: string): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    throw unreachable(url, error)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw foreign(response, url)
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

/** What the service says of a request that it refused. A failure is named by its request, as the service's log names it. */
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

function foreign({ status, headers }: Response, url: string): CommandError {
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing'
  return new CommandError(
    `${url} is not the address of this service: it answered with status ${status} and ${type}.`,
  )
}
