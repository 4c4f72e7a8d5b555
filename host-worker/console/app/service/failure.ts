/**
 * Why a call was not answered. `offline`: the service was not reached. `ended`: the key is no longer accepted. `refused`:
 * the service says why. `unexpected`: the service failed, or something else answered in its place.
 */
export type FailureKind = 'offline' | 'ended' | 'refused' | 'unexpected'

/** A call that was not answered, with a sentence for a person. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: FailureKind
  /** The status of the answer; null: there was none. */
  readonly status: number | null

  constructor(kind: FailureKind, sentence: string, status: number | null = null) {
    super(sentence)
    this.kind = kind
    this.status = status
  }
}

/** What a failure says of one named setting or field; null: nothing. The service begins such a sentence with the name. */
export function problemOf(failure: Failure | null, name: string): string | null {
  const [, problem = null] = failure?.message.match(new RegExp(`^${name}(?:\\.\\w+)?: (.*)$`, 's')) ?? []
  return problem
}

/** Whether the service said that what was asked for is not there, or is not this organization's. */
export function isNothing({ status }: Failure): boolean {
  return status === 400 || status === 403 || status === 404
}

/** An answer; null: the service says that what was asked for is not there. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer
  } catch (thrown) {
    if (failureOf(thrown).status === 404) return null
    throw thrown
  }
}

/** Whatever was thrown, as a failure. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  const what = thrown instanceof Error ? thrown.message : String(thrown)
  return new Failure('unexpected', `The console failed: ${what}. Reload the page, and report it if it stays.`)
}

/** The failure that an answer of the service tells of. */
export async function refusalIn(response: Response): Promise<Failure> {
  const { status } = response
  const said = await sentenceIn(response)
  if (status === 401) return new Failure('ended', keyRefused(said), status)
  if (said === null || status >= 500) {
    const id = response.headers.get('x-request-id')
    const named = id === null ? '' : ` Its log knows the request as ${id}.`
    return new Failure('unexpected', `${said ?? `The service answered with ${status}.`}${named}`, status)
  }
  return new Failure('refused', said, status)
}

/** Why a key is not accepted. On a page over plain http no key is, good or not, and the service says so. */
function keyRefused(said: string | null): string {
  const isExposed = !globalThis.isSecureContext
  return isExposed && said !== null ? said : 'This key is not accepted: it is unknown, expired or revoked.'
}

async function sentenceIn(response: Response): Promise<string | null> {
  try {
    const body: unknown = await response.json()
    const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
    return typeof error === 'string' ? error : null
  } catch {
    return null
  }
}
