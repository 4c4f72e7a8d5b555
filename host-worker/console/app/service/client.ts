import { createContext } from 'preact'
import { doublingPauses, repeatWhileRejected, type Backoff } from '../../../../domain/limits/waiting.ts'
import {
  jsonContent,
  requestFor,
  searchText,
  type Content,
  type Query,
} from '../../../../domain/text/http.ts'
import { OWN, takeBegun } from './begun.ts'
import { operationTable } from './operation-table.ts'
import type { BodyOf, CallOf, OperationId } from './operations.ts'

/** Calls the service in the session of this browser. Every method throws a `Failure`. */
export interface Client {
  /** Calls an operation by its id; inputs and answer have the types of its declaration. */
  call<Id extends OperationId>(id: Id, call?: CallOf<Id>, signal?: AbortSignal): Promise<BodyOf<Id>>
  /** Reads any path of this host as JSON, such as a collection of the public interface. */
  read<Body>(path: string, query?: Query, signal?: AbortSignal): Promise<Body>
  /** Sends a request with any body and returns its successful response. */
  send(method: string, path: string, init?: SendInit): Promise<Response>
  /** A client in the same session that reads an organization by the public interface. */
  as(organizationId: string): Client
}

interface SendInit extends Partial<Content> {
  readonly signal?: AbortSignal | undefined
}

/** That somebody signs in: what is asked for in the session of this browser waits until that is known. */
let opening: Promise<unknown> = Promise.resolve()

/** Signs in, so that this browser has a session. Throws a `Failure`. */
export function openSession(credentials: object): Promise<unknown> {
  const opened = createClient(null, () => undefined).send(
    'POST',
    '/console/session',
    jsonContent(credentials),
  )
  opening = opened.catch(() => undefined)
  return opened
}

/**
 * A client. No I/O.
 * @param organizationId whose data it reads by the public interface; null: none
 * @param onEnded called when nobody is signed in any more
 * @param key what a program that has no session calls with; null: the session
 */
export function createClient(
  organizationId: string | null,
  onEnded: (failure: Failure) => void,
  key: string | null = null,
): Client {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  // No cookie is accepted under /api: what a key of the organization reads there, a session reads here.
  const base = organizationId === null ? '' : `/console/as/${encodeURIComponent(organizationId)}`
  const send: Client['send'] = async (method, path, { headers, body, signal } = {}) => {
    if (key === null) await opening
    const begun = takeBegun(method, path)
    const response = await reach(path.startsWith('/api/v1/') ? base + path : path, begun, {
      method,
      headers: { accept: 'application/json', ...headers, ...authorization },
      body: body ?? null,
      signal: signal ?? null,
    })
    if (response.ok) return response
    const failure = await refusalIn(response)
    if (failure.kind === 'ended') onEnded(failure)
    throw failure
  }
  return {
    send,
    as: (id) => createClient(id, onEnded, key),
    read: async (path, query = {}, signal) => bodyOf(await send('GET', path + searchText(query), { signal })),
    call: async (id, call = {}, signal) => {
      const [method, template] = operationTable[id]
      const { path, ...content } = requestFor(template, call, nothingThere)
      const headers = { ...content.headers, ...conditionOf(call.replaces) }
      return bodyOf(await send(method, path, { ...content, headers, signal }))
    },
  }
}

/** The failure for an id that no request can name. */
function nothingThere(sentence: string): Failure {
  return new Failure('refused', sentence, 404)
}

/** @param begun the answer, if it was asked for already */
async function reach(
  path: string,
  begun: Promise<Response> | undefined,
  init: RequestInit,
): Promise<Response> {
  try {
    return await (begun ?? fetch(path, { ...init, ...OWN }))
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new Failure('offline', 'The service cannot be reached. Check the connection, then try again.')
  }
}

async function bodyOf<Body>(response: Response): Promise<Body> {
  if (response.status === 204) return null as Body
  try {
    // The body need not be checked: the service's own tests check that every answer fits its declaration.
    const body = (await response.json()) as Body
    if (typeof body === 'object' && body !== null) rememberVersion(body, response)
    return body
  } catch {
    throw new Failure('unexpected', 'The answer could not be read. Try again.', response.status)
  }
}

/** The client of the session. Outside of a session nobody calls. */
export const ClientContext = createContext<Client>(createClient(null, () => undefined))

/**
 * Why a call was not answered. `offline`: the service was not reached. `ended`: nobody is signed in any more. `refused`:
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

/** What a person is told whose change was overtaken. The service's own sentence is for programs. */
const OVERTAKEN =
  'Somebody else changed this after you opened it, so nothing was changed. The page shows it as it is now: look at it, then begin again.'

/** Waits for a change of what a person sees. When somebody else was faster, `reload` shows them how it is now. */
export async function orReload<Answer>(change: Promise<Answer>, reload: () => void): Promise<Answer> {
  try {
    return await change
  } catch (thrown) {
    const failure = failureOf(thrown)
    if (failure.status !== 412) throw failure
    reload()
    throw new Failure('refused', OVERTAKEN, 412)
  }
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
async function refusalIn(response: Response): Promise<Failure> {
  const { status } = response
  const body = await jsonIn(response)
  const said = typeof body.error === 'string' ? body.error : null
  if (status === 412) {
    const current = typeof body.current === 'object' ? body.current : null
    if (current !== null) rememberVersion(current, response)
    return new Failure('refused', said ?? 'Somebody else changed this meanwhile.', status, current)
  }
  if (status === 401) return new Failure('ended', notSignedIn(said), status)
  if (said === null || status >= 500) {
    const id = response.headers.get('x-request-id')
    const named = id === null ? '' : ` Its log knows the request as ${id}.`
    return new Failure('unexpected', `${said ?? `The service answered with ${status}.`}${named}`, status)
  }
  return new Failure('refused', said, status)
}

/** Why a key or a link is not accepted. What the service says to every key that does not work is for programs. */
function notSignedIn(said: string | null): string {
  const isForPrograms = said?.startsWith('Unauthorized') === true
  return said === null || isForPrograms
    ? 'This key is not accepted: it is unknown, expired or revoked.'
    : said
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
function rememberVersion(body: object, { headers }: Response): void {
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

/** What work that takes a while is given besides the client and its input. */
export interface Work<Progress> {
  /** Aborted when it is stopped, and when its page goes. */
  readonly signal: AbortSignal
  readonly report: (progress: Progress) => void
}

/** About half a minute in all: long enough for a service to restart. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(200, 8, 8_000), spread: { least: 0.5, most: 1.5 } }

/** The kinds of failures after which another attempt may be answered. */
const PASSING: ReadonlySet<FailureKind> = new Set(['offline', 'unexpected'])

/**
 * Makes a call that is safe to repeat: again after a moment when the service was not reached, or failed. Throws the
 * failure of the last attempt.
 * @param signal ends the attempts
 * @param onFailure called with each failure after which it is tried again
 */
export function repeated<Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
  onFailure: (failure: Failure) => void = () => undefined,
): Promise<Result> {
  const isPassing = (thrown: unknown): boolean => {
    const isPast = !signal.aborted && thrown instanceof Failure && PASSING.has(thrown.kind)
    if (isPast) onFailure(thrown)
    return isPast
  }
  const wait = (durationMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  return repeatWhileRejected(BACKOFF, { isPassing, draw: () => Math.random(), wait }, call)
}
