import { toInstant } from '../../../domain/text/instant.ts'
import type { OutboxRef } from '../../../ports/messaging.ts'
import { readsAlone, type Executor } from '../../sqlite/statement/executor.ts'
import { dueInTurns } from '../../sqlite/outbox/turns.ts'
import { runBatch, type Run } from './batch.ts'
import type { ObjectDatabase } from './object-database.ts'
import { unpacked } from '../unpack.ts'

/** The maximum number of entries that one alarm hands over. The next alarm hands over the rest. */
const HANDED_OVER_MAX = 500

/**
 * The entries that were due at an instant, in ms since 1970. The family's organizations take turns, as they do in the
 * sweep of the shared outbox.
 */
export function dueEntries(
  database: ObjectDatabase,
  run: Run,
  dueByMs: number,
): Promise<readonly OutboxRef[]> {
  const executor: Executor = {
    batch: async (statements) => runBatch(database, run, statements, readsAlone(statements)).map(unpacked),
  }
  return dueInTurns(executor, toInstant(dueByMs), HANDED_OVER_MAX)
}
