import type { Client } from '../service/client.ts'
import type { Listed } from '../service/listed.ts'
import { readListed } from '../service/listed.ts'
import type { ItemOf } from '../service/operations.ts'
import { entriesOf } from './sums.ts'
import type { Activity } from './sums.ts'

/** What the overview shows. A list that was not read to its end has `isWhole: false`. */
export interface OverviewFigures extends Activity {
  readonly organizations: Listed<ItemOf<'organizations.list'>>
  readonly outbox: Listed<ItemOf<'outbox.list'>>
  /** Whether the sends and submissions of every organization are counted, each back to the first day. */
  readonly isActivityWhole: boolean
}

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
    readListed(client, 'organizations.list', {}, signal, () => true),
    readListed(client, 'outbox.list', {}, signal, () => true),
  ])
  const asked = organizations.items.slice(0, ORGANIZATIONS_MAX)
  const found = await inTurns(asked, async ({ organizationId }) => {
    const call = { params: { organizationId } }
    return Promise.all([
      readListed(client, 'sends.list', call, signal, ({ at }) => at >= firstDay),
      readListed(client, 'submissions.list', call, signal, ({ submittedAt }) => submittedAt >= firstDay),
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

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += WIDTH)
    results.push(...(await Promise.all(items.slice(start, start + WIDTH).map(work))))
  return results
}
