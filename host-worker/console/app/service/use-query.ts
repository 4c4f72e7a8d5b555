import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { ClientContext, type Client, type Query } from './client.ts'
import { failureOf, type Failure } from './failure.ts'
import type { BodyOf, CallOf, OperationId } from './operations.ts'

/** What is known of something that is read. While it is read again, the earlier data stays. */
export type Reading<Data> = { readonly reload: () => void; readonly isReading: boolean } & (
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'ready'; readonly data: Data; readonly failure: Failure | null }
)

export interface ReadOptions {
  /** Reads again after this time, while the page is visible. Left out: only when asked to. */
  readonly everyMs?: number
}

/**
 * Reads something, and again when `name` changes. The read is aborted when the component goes.
 * @param name names what is read; data of another name is never shown
 */
export function useQuery<Data>(
  name: string,
  read: (client: Client, signal: AbortSignal) => Promise<Data>,
  { everyMs }: ReadOptions = {},
): Reading<Data> {
  const client = useContext(ClientContext)
  const [asked, setAsked] = useState(0)
  const [known, setKnown] = useState<Known<Data>>(UNKNOWN)
  const [isReading, setReading] = useState(true)
  useEffect(() => {
    const stopped = new AbortController()
    const settle = (next: (before: Known<Data>) => Known<Data>): void => {
      if (stopped.signal.aborted) return
      setReading(false)
      setKnown(next)
    }
    setReading(true)
    read(client, stopped.signal).then(
      (data) => {
        settle(() => ({ name, found: { data }, failure: null }))
      },
      (thrown: unknown) => {
        const failure = failureOf(thrown)
        settle((before) => ({ name, found: before.name === name ? before.found : null, failure }))
      },
    )
    return () => {
      stopped.abort()
    }
    // `read` is another function at every render; `name` says whether it reads something else.
  }, [name, asked, client])
  const reload = useCallback(() => {
    setAsked((count) => count + 1)
  }, [])
  useReloads(reload, everyMs ?? null)
  return { reload, isReading, ...stateOf(known, name) }
}

interface Known<Data> {
  readonly name: string | null
  readonly found: { readonly data: Data } | null
  readonly failure: Failure | null
}

const UNKNOWN = { name: null, found: null, failure: null } as const

function stateOf<Data>({ name: knownName, found, failure }: Known<Data>, name: string) {
  if (knownName !== name) return { state: 'loading' } as const
  if (found !== null) return { state: 'ready', data: found.data, failure } as const
  return failure === null ? ({ state: 'loading' } as const) : ({ state: 'failed', failure } as const)
}

/** Calls `reload` when the connection is back, and at intervals while the page is visible. */
export function useReloads(reload: () => void, everyMs: number | null): void {
  useEffect(() => {
    const timer =
      everyMs === null
        ? undefined
        : setInterval(() => {
            if (!document.hidden) reload()
          }, everyMs)
    window.addEventListener('online', reload)
    return () => {
      window.removeEventListener('online', reload)
      clearInterval(timer)
    }
  }, [reload, everyMs])
}

/** Reads an operation by its id, as `useQuery` does. */
export function useCall<Id extends OperationId>(
  id: Id,
  call?: CallOf<Id>,
  options?: ReadOptions,
): Reading<BodyOf<Id>> {
  return useQuery(JSON.stringify([id, call]), (client, signal) => client.call(id, call, signal), options)
}

/** Reads a path of the public interface, as `useQuery` does. */
export function useRead<Body>(path: string, query?: Query, options?: ReadOptions): Reading<Body> {
  const name = JSON.stringify([path, query])
  return useQuery(name, (client, signal) => client.read<Body>(path, query, signal), options)
}
