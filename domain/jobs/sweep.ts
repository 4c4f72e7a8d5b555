import type { OutboxStore } from '../../ports/outbox-store.ts'
import { toInstant } from '../text/instant.ts'
import { deliver } from './deliver.ts'
import { CONNECTIONS_WIDTH } from '../bounds/connections.ts'
import { eachOf } from '../bounds/within.ts'
import type { JobWorld } from './world.ts'

/** Most entries of one sweep. The next one follows within a minute. */
const ENTRIES_MAX = 500
/** No new entry is begun after this long, in ms: sweeps must not run into each other. */
const BUDGET_MS = 40_000

/** What a sweep found and did. */
export interface Swept {
  readonly due: number
  readonly worked: number
}

/**
 * Works off what is due: entries whose queue message was lost, whose next attempt has come, or whose worker died.
 * Organizations take turns, in what is asked for and in the order in which it is worked off, so that one with thousands
 * of entries delays nobody else's. Bounded in number and time. Rejects when what is due cannot be read.
 * @param from whose entries: those of the shared place, unless a family's database is given
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
