import { createContext } from 'preact'
import { Failure, conditionOf, refusalIn, rememberVersion } from './failure.ts'
import { operationTable } from './operation-table.ts'
import type { BodyOf, CallOf, OperationId } from './operations.ts'

/** Calls the service with one key, or none. Every method throws a `Failure`. */
export interface Client {
  /** Calls an operation by its id; inputs and answer have the types of its declaration. */
  call<Id extends OperationId>(id: Id, call?: CallOf<Id>, signal?: AbortSignal): Promise<BodyOf<Id>>
  /** Reads any path of this host as JSON, such as a collection of the public interface. */
  read<Body>(path: string, query?: Query, signal?: AbortSignal): Promise<Body>
  /** Sends a request with any body and returns its successful response. */
  send(method: string, path: string, init?: SendInit): Promise<Response>
}

export type Query = Readonly<Record<string, string | number | undefined>>

interface SendInit {
  readonly body?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** What a call of any operation may have. */
interface AnyCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
  readonly replaces?: object | null
}

/**
 * A client for a key; null: for what needs none. No I/O.
 * @param onEnded called when the service no longer accepts the key
 */
export function createClient(key: string | null, onEnded: (failure: Failure) => void): Client {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  const send: Client['send'] = async (method, path, { headers, body, signal } = {}) => {
    const response = await reach(path, {
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
    read: async (path, query = {}, signal) => bodyOf(await send('GET', path + searchText(query), { signal })),
    call: async (id, call = {}, signal) => {
      const [method, path] = operationTable[id]
      const { params = {}, query = {}, body, replaces }: AnyCall = call
      const json = body === undefined ? { headers: {} } : jsonBody(body)
      const headers = { ...json.headers, ...conditionOf(replaces) }
      return bodyOf(
        await send(method, pathWith(path, params) + searchText(query), { ...json, headers, signal }),
      )
    },
  }
}

function jsonBody(body: unknown) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'error' })
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

/** A path with its parameters filled in. Throws for a value that URLs drop, or that leads elsewhere. */
export function pathWith(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name] ?? ''
    if (/^\.{0,2}$/.test(value))
      throw new Failure('refused', `There is nothing with the id ${JSON.stringify(value)}.`, 404)
    return encodeURIComponent(value)
  })
}

/** The client of the session. Outside of a session nobody calls. */
export const ClientContext = createContext<Client>(createClient('', () => undefined))

/** The query of an address, with what of these says anything: `?form=contact`. Empty when nothing does. */
export function searchText(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const named = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return named.length === 0 ? '' : `?${new URLSearchParams(named).toString()}`
}
