import type { Client } from './client.ts'
import type { CallOf, ItemOf, ListId, Page } from './operations.ts'

/** The first items of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[]
  /** Whether these are all that were wanted. */
  readonly isWhole: boolean
}

const PAGE_ROWS = 500
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
    const query = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) }
    // The compiler cannot relate the id to its inputs and its answer here.
    const answer = (await client.call(id, { ...call, query } as CallOf<Id>, signal)) as Page<ItemOf<Id>>
    items.push(...answer.data)
    cursor = answer.pagination.nextCursor
    const last = items.at(-1)
    if (cursor === null || (last !== undefined && !isWanted(last))) return { items, isWhole: true }
  }
  return { items, isWhole: false }
}
