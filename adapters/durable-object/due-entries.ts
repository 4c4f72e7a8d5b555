import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import type { Executor } from '../sqlite/index.ts'
import { createStorage, readsAlone } from '../sqlite/index.ts'
import type { Run } from './batch.ts'
import { runBatch } from './batch.ts'
import type { ObjectDatabase } from './object-database.ts'
import { unpacked } from './unpack.ts'

/** Most entries that one ringing of the alarm hands over. The others follow when it rings again. */
const HANDED_OVER_MAX = 500

/** The entries that were due by an instant, in ms since 1970: in turns among the family's organizations, as a sweep has them. */
export function dueEntries(
  database: ObjectDatabase,
  run: Run,
  clock: Clock,
  dueByMs: number,
): Promise<readonly OutboxRef[]> {
  const executor: Executor = {
    batch: async (statements) => runBatch(database, run, statements, readsAlone(statements)).map(unpacked),
  }
  const { outbox } = createStorage({ executor, clock })
  return outbox.due(toInstant(dueByMs), HANDED_OVER_MAX)
}
