import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Query } from '../../../../domain/text/http.ts'
import { ClientContext, failureOf, type Client, type Failure, type Work } from './client.ts'
import type { BodyOf, CallOf, ItemOf, ListId, OperationId, Page, Row } from './operations.ts'

/** What is known of something that is read. While it is read again, the earlier data stays. */
export type Reading<Data> = { readonly reload: () => void; readonly isReading: boolean } & (
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | { readonly state: 'ready'; readonly data: Data; readonly failure: Failure | null }
)

interface ReadOptions {
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
  const [known, setKnown] = useState<ReadState<Data>>(UNKNOWN)
  const [isReading, setReading] = useState(true)
  useEffect(() => {
    const stopped = new AbortController()
    const settle = (next: (before: ReadState<Data>) => ReadState<Data>): void => {
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

interface ReadState<Data> {
  readonly name: string | null
  readonly found: { readonly data: Data } | null
  readonly failure: Failure | null
}

const UNKNOWN = { name: null, found: null, failure: null } as const

function stateOf<Data>({ name: knownName, found, failure }: ReadState<Data>, name: string) {
  if (knownName !== name) return { state: 'loading' } as const
  if (found !== null) return { state: 'ready', data: found.data, failure } as const
  return failure === null ? ({ state: 'loading' } as const) : ({ state: 'failed', failure } as const)
}

/** Calls `reload` when the connection is back, and at intervals while the page is visible. */
function useReloads(reload: () => void, everyMs: number | null): void {
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

/** A list that is read page by page. */
export interface Pages<Item> {
  readonly items: readonly Item[]
  /** `loading`: nothing is known yet. `failed`: the first page was not answered. */
  readonly state: 'loading' | 'failed' | 'ready'
  /** Why the last page was not answered; null: it was. */
  readonly failure: Failure | null
  readonly hasMore: boolean
  readonly isReading: boolean
  /** Families whose databases did not answer. */
  readonly unanswered: readonly string[]
  /** Reads the next page, unless one is being read. */
  readonly more: () => void
  /** Begins again. The items stay until the first page is there. */
  readonly reload: () => void
}

interface Known<Item> {
  readonly name: string
  readonly items: readonly Item[]
  readonly cursor: string | null
  readonly unanswered: readonly string[]
  readonly failure: Failure | null
  readonly isBegun: boolean
}

type ReadPage<Item> = (client: Client, cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>

/**
 * Reads a list page by page, and from its start when `name` changes. Reads are aborted when the component goes.
 * @param name names the list; items of another one are never shown
 */
export function useList<Item>(name: string, readPage: ReadPage<Item>): Pages<Item> {
  const client = useContext(ClientContext)
  const [known, setKnown] = useState<Known<Item>>(() => nothingOf(name))
  const [isReading, setReading] = useState(true)
  const running = useRef<AbortController | null>(null)
  const shown = known.name === name ? known : nothingOf<Item>(name)

  const read = (cursor: string | null): void => {
    running.current?.abort()
    const stopped = new AbortController()
    running.current = stopped
    setReading(true)
    const settle = (next: (before: Known<Item>) => Known<Item>): void => {
      if (stopped.signal.aborted) return
      running.current = null
      setReading(false)
      setKnown((before) => next(before.name === name ? before : nothingOf(name)))
    }
    readPage(client, cursor, stopped.signal).then(
      (page) => {
        settle((before) => withPage(cursor === null ? nothingOf(name) : before, page))
        // A page of a list over several databases may be empty although another one follows.
        const { nextCursor } = page.pagination
        if (page.data.length === 0 && nextCursor !== null && !stopped.signal.aborted) read(nextCursor)
      },
      (thrown: unknown) => {
        settle((before) => ({ ...before, failure: failureOf(thrown) }))
      },
    )
  }
  useEffect(() => {
    read(null)
    return () => running.current?.abort()
    // `read` is another function at every render; `name` says whether it reads another list.
  }, [name, client])

  const more = (): void => {
    if (running.current === null && shown.cursor !== null) read(shown.cursor)
  }
  const latest = useRef({ more, read })
  latest.current = { more, read }
  const { items, cursor, unanswered, failure, isBegun } = shown
  return {
    ...{ items, failure, isReading, unanswered, hasMore: cursor !== null },
    state: isBegun ? 'ready' : failure === null ? 'loading' : 'failed',
    more: useCallback(() => {
      latest.current.more()
    }, []),
    reload: useCallback(() => {
      latest.current.read(null)
    }, []),
  }
}

function nothingOf<Item>(name: string): Known<Item> {
  return { name, items: [], cursor: null, unanswered: [], failure: null, isBegun: false }
}

function withPage<Item>(before: Known<Item>, { data, pagination, unanswered = [] }: Page<Item>): Known<Item> {
  return {
    name: before.name,
    items: [...before.items, ...data],
    cursor: pagination.nextCursor,
    unanswered: [...new Set([...before.unanswered, ...unanswered])],
    failure: null,
    isBegun: true,
  }
}

/** Rows of one request. */
const PAGE_ROWS = 100

/**
 * Reads a list again at intervals while something in it is not at its end. Only its first page: what a person has
 * scrolled to stays in its place.
 */
export function useChanging<Item>(
  { items, reload }: Pages<Item>,
  isOpen: (item: Item) => boolean,
  everyMs: number,
) {
  useReloads(reload, items.length <= PAGE_ROWS && items.some(isOpen) ? everyMs : null)
}

/** Reads the list that an operation answers with, as `useList` does. */
export function usePages<Id extends ListId>(id: Id, call?: CallOf<Id>): Pages<ItemOf<Id>> {
  return useList<ItemOf<Id>>(JSON.stringify([id, call]), async (client, cursor, signal) => {
    const query = { limit: PAGE_ROWS, ...call?.query, ...(cursor === null ? {} : { cursor }) }
    // The compiler cannot relate the id to its inputs and its answer here.
    return (await client.call(id, { ...call, query } as CallOf<Id>, signal)) as Page<ItemOf<Id>>
  })
}

/** Reads the whole list that an operation answers with, as `useList` does: for lists of which there are few items. */
export function useAllPages<Id extends ListId>(id: Id, call?: CallOf<Id>): Pages<ItemOf<Id>> {
  const pages = usePages(id, call)
  const { hasMore, isReading, failure, more } = pages
  useEffect(() => {
    if (hasMore && !isReading && failure === null) more()
  }, [hasMore, isReading, failure])
  return pages
}

/** Reads a collection of the public interface by its path, as `useList` does. */
export function useReadPages(path: string, query: Query = {}): Pages<Row> {
  return useList<Row>(JSON.stringify([path, query]), (client, cursor, signal) =>
    client.read(path, { limit: PAGE_ROWS, ...query, ...(cursor === null ? {} : { cursor }) }, signal),
  )
}

/** The first items of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[]
  /** Whether these are all that were wanted. */
  readonly isWhole: boolean
}

const LISTED_ROWS = 500
const PAGES_MAX = 4

/** Reads a list while its last item is wanted, at most some pages of it. */
export async function readListed<Id extends ListId>(
  client: Client,
  id: Id,
  call: Pick<CallOf<Id>, 'params'>,
  signal: AbortSignal,
  isWanted: (item: ItemOf<Id>) => boolean,
): Promise<Listed<ItemOf<Id>>> {
  const items: ItemOf<Id>[] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { limit: LISTED_ROWS, ...(cursor === null ? {} : { cursor }) }
    // The compiler cannot relate the id to its inputs and its answer here.
    const answer = (await client.call(id, { ...call, query } as CallOf<Id>, signal)) as Page<ItemOf<Id>>
    items.push(...answer.data)
    cursor = answer.pagination.nextCursor
    const last = items.at(-1)
    if (cursor === null || (last !== undefined && !isWanted(last))) return { items, isWhole: true }
  }
  return { items, isWhole: false }
}

/** Something that a person does, such as saving. */
export interface Action<Input> {
  /** Does it, once at a time. */
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  /** Why it was not done the last time; null: it was, or was not tried. */
  readonly failure: Failure | null
  readonly forget: () => void
}

/**
 * Makes a change by the service.
 * @param act makes the calls
 * @param onDone called with what they answered
 */
export function useAction<Input = undefined, Result = unknown>(
  act: (client: Client, input: Input) => Promise<Result>,
  onDone: (result: Result, input: Input) => void = () => undefined,
): Action<Input> {
  const client = useContext(ClientContext)
  const [{ isRunning, failure }, setState] = useState<Pick<Action<Input>, 'isRunning' | 'failure'>>(IDLE)
  const run = (input: Input): void => {
    if (isRunning) return
    setState({ isRunning: true, failure: null })
    act(client, input).then(
      (result) => {
        setState(IDLE)
        onDone(result, input)
      },
      (thrown: unknown) => {
        setState({ isRunning: false, failure: failureOf(thrown) })
      },
    )
  }
  const forget = (): void => {
    setState(IDLE)
  }
  return { run, isRunning, failure, forget }
}

const IDLE = { isRunning: false, failure: null } as const

/** Something that takes a while, such as an export. */
interface LongAction<Input, Progress> extends Action<Input> {
  /** How far it is; null: nothing is known yet. */
  readonly progress: Progress | null
  /** Stops it. What was done so far stays done. */
  readonly stop: () => void
}

/**
 * Does something that takes a while, as `useAction` does, with progress. It is stopped when the component goes.
 * @param act makes the calls
 * @param onDone called with what it comes to, unless it was stopped
 */
export function useLongAction<Progress, Input = undefined, Result = unknown>(
  act: (client: Client, input: Input, work: Work<Progress>) => Promise<Result>,
  onDone: (result: Result, input: Input) => void = () => undefined,
): LongAction<Input, Progress> {
  const [progress, setProgress] = useState<Progress | null>(null)
  const report = (value: Progress | null): void => {
    setProgress(() => value)
  }
  const running = useRef<AbortController | null>(null)
  const stop = (): void => {
    running.current?.abort()
  }
  useEffect(() => stop, [])
  const action = useAction<Input, { readonly result: Result } | null>(
    async (client, input) => {
      const { signal } = (running.current = new AbortController())
      report(null)
      try {
        return { result: await act(client, input, { signal, report }) }
      } catch (error) {
        if (signal.aborted) return null
        throw error
      }
    },
    (outcome, input) => {
      if (outcome !== null) onDone(outcome.result, input)
    },
  )
  return { ...action, progress, stop }
}
