/** A row of a collection as the API gives it. */
export type ApiRow = Readonly<Record<string, unknown>>

interface Page {
  readonly data: readonly ApiRow[]
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: string | null }
}

export interface Walk {
  readonly rows: readonly ApiRow[]
  /** Request ids of the pages, in their order. */
  readonly requestIds: readonly string[]
}

/** More pages than any collection here has, to detect a cursor that runs in circles. */
const PAGES_MAX = 10_000

/** Reads a collection to its end. Throws for any answer but 200. `path` has its query, without `cursor`. */
export async function walk(origin: string, path: string, key: string): Promise<Walk> {
  const rows: ApiRow[] = []
  const requestIds: string[] = []
  for await (const page of walkPages(origin, path, key)) {
    rows.push(...page.rows)
    requestIds.push(page.requestId)
  }
  return { rows, requestIds }
}

/** Like `walk`, page by page, for a collection that need not be in memory as a whole. */
export async function* walkPages(
  origin: string,
  path: string,
  key: string,
): AsyncGenerator<{ readonly rows: readonly ApiRow[]; readonly requestId: string }> {
  const url = new URL(path, origin)
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${url.href} answered ${response.status}: ${text}`)
    const { data, pagination } = JSON.parse(text) as Page
    yield { rows: data, requestId: response.headers.get('x-request-id') ?? '' }
    if (pagination.nextCursor === null) return
    url.searchParams.set('cursor', pagination.nextCursor)
  }
  throw new Error(`${path} did not end after ${PAGES_MAX} pages`)
}
