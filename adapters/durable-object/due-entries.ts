import { toInstant } from '../../domain/text/instant.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import type { Executor } from '../sqlite/statement/executor.ts'
import { dueInTurns } from '../sqlite/outbox/turns.ts'
import { readsAlone } from '../sqlite/statement/reads-alone.ts'
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
  dueByMs: number,
): Promise<readonly OutboxRef[]> {
  const executor: Executor = {
    batch: async (statements) => runBatch(database, run, statements, readsAlone(statements)).map(unpacked),
  }
  return dueInTurns(executor, toInstant(dueByMs), HANDED_OVER_MAX)
}
