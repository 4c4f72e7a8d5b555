import type { Client } from '../service/client.ts'
import type { CallOf, ItemOf, ListId, Page } from '../service/operations.ts'
import { entriesOf } from './sums.ts'
import type { Activity } from './sums.ts'

/** What the overview shows. A list that was not read to its end has `isWhole: false`. */
export interface OverviewFigures extends Activity {
  readonly organizations: Listed<ItemOf<'organizations.list'>>
  readonly outbox: Listed<ItemOf<'outbox.list'>>
  /** Whether the sends and submissions of every organization are counted, each back to the first day. */
  readonly isActivityWhole: boolean
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  readonly isWhole: boolean
}

const PAGE_ROWS = 500
const PAGES_MAX = 4
/** The maximum number of organizations whose activity is read, a few at a time. */
const ORGANIZATIONS_MAX = 40
const WIDTH = 4

/** Reads the overview from the lists of the operator interface, whose pages it bounds. */
export async function readFigures(
  client: Client,
  signal: AbortSignal,
  firstDay: string,
): Promise<OverviewFigures> {
  const [organizations, outbox] = await Promise.all([
    listed(client, 'organizations.list', {}, signal, () => true),
    listed(client, 'outbox.list', {}, signal, () => true),
  ])
  const asked = organizations.items.slice(0, ORGANIZATIONS_MAX)
  const found = await inTurns(asked, async ({ organizationId }) => {
    const call = { params: { organizationId } }
    return Promise.all([
      listed(client, 'sends.list', call, signal, ({ at }) => at >= firstDay),
      listed(client, 'submissions.list', call, signal, ({ submittedAt }) => submittedAt >= firstDay),
    ])
  })
  const isAll = organizations.isWhole && asked.length === organizations.items.length
  return {
    organizations,
    outbox,
    sends: found.flatMap(([sends]) => entriesOf(sends.items, firstDay)),
    submissions: found.flatMap(([, submissions]) =>
      submissions.items.filter(({ submittedAt }) => submittedAt >= firstDay),
    ),
    isActivityWhole: isAll && found.every(([sends, submissions]) => sends.isWhole && submissions.isWhole),
  }
}

/** Reads a list while its last item is wanted, at most some pages of it. */
async function listed<Id extends ListId>(
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

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += WIDTH)
    results.push(...(await Promise.all(items.slice(start, start + WIDTH).map(work))))
  return results
}
