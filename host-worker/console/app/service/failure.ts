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
  /** Given when somebody else was faster: the state as it is now, as it is shown; null: there is none. */
  readonly current: object | null | undefined

  constructor(kind: FailureKind, sentence: string, status: number | null = null, current?: object | null) {
    super(sentence)
    this.kind = kind
    this.status = status
    this.current = current
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

/** Whatever was thrown, as a failure. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  const what = thrown instanceof Error ? thrown.message : String(thrown)
  return new Failure('unexpected', `The console failed: ${what}. Reload the page, and report it if it stays.`)
}

/** The failure that an answer of the service tells of. */
export async function refusalIn(response: Response): Promise<Failure> {
  const { status } = response
  const body = await jsonIn(response)
  const said = typeof body.error === 'string' ? body.error : null
  if (status === 412) {
    const current = typeof body.current === 'object' ? body.current : null
    if (current !== null) rememberVersion(current, response)
    return new Failure('refused', said ?? 'Somebody else changed this meanwhile.', status, current)
  }
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

async function jsonIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    return { ...((await response.json()) as object | null) }
  } catch {
    return {}
  }
}

/** The ETags of answers, each for as long as the page keeps the answer. */
const versions = new WeakMap<object, string>()

/** Keeps the ETag of an answer, if it has one. */
export function rememberVersion(body: object, { headers }: Response): void {
  const etag = headers.get('etag')
  if (etag !== null) versions.set(body, etag)
}

/**
 * Says of an answer that it is based on another one: what was changed between the two was not seen, so a change that
 * replaces it is refused if there was anything.
 */
export function basedOn<Body extends object>(body: Body, seen: object): Body {
  const etag = versions.get(seen)
  if (etag !== undefined) versions.set(body, etag)
  return body
}

/** The headers of a change that replaces an answer (null: nothing; undefined: whatever there is). */
export function conditionOf(replaces: object | null | undefined): Readonly<Record<string, string>> {
  if (replaces === undefined) return {}
  if (replaces === null) return { 'if-none-match': '*' }
  const etag = versions.get(replaces)
  if (etag === undefined) throw new Error('what was shown has no ETag')
  return { 'if-match': etag }
}
