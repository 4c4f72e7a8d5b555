import type { OutboxStore } from '../../ports/outbox-store.ts'
import { toInstant } from '../text/instant.ts'
import { deliver } from './deliver.ts'
import { CONNECTIONS_WIDTH } from '../bounds/connections.ts'
import { eachOf } from '../bounds/within.ts'
import type { JobWorld } from './world.ts'

/** The maximum number of entries in one sweep. The next sweep follows within a minute. */
const ENTRIES_MAX = 500
/** No new entry is begun after this long, in ms, so that sweeps do not overlap. */
const BUDGET_MS = 40_000

/** How many entries a sweep found, and what became of them. */
export interface Swept {
  readonly due: number
  readonly worked: number
}

/**
 * Processes the entries that are due: those whose queue message was lost, whose next attempt has come, or whose worker
 * died. Organizations take turns, both in reading and in processing, so that one with thousands of entries does not
 * delay the others. Bounded in number and time. Rejects when the due entries cannot be read.
 * @param from the outbox to read: that of the shared database, unless a family's is given
 */
export async function sweep(world: JobWorld, from: Pick<OutboxStore, 'due'> = world.outbox): Promise<Swept> {
  const startedMs = world.clock.nowMs()
  const due = await from.due(toInstant(startedMs), ENTRIES_MAX)
  let worked = 0
  await eachOf(due, CONNECTIONS_WIDTH, async (ref) => {
    if (world.clock.nowMs() - startedMs > BUDGET_MS) return
    try {
      if ((await deliver(ref, world)) !== 'idle') worked += 1
    } catch (cause) {
      world.log.error('outbox_delivery_failed', { outboxId: ref.outboxId }, cause)
    }
  })
  if (due.length > 0) world.log.info('outbox_swept', { due: due.length, worked })
  return { due: due.length, worked }
}
