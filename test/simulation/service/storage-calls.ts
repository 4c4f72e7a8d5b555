import type { Executor, Statement, StatementResult } from '../../../adapters/sqlite/index.ts'
import { nameOfBatch } from '../engine/database.ts'
import { everlasting } from '../engine/scheduler.ts'
import type { Process } from './process.ts'
import type { Universe } from './universe.ts'

const LATENCY_MAX_MS = 6
const SLOW_MAX_MS = 90_000
const FULL_MAX_MS = 60_000

/** The database as processes reach it: over a network, and not always with luck. */
export interface StorageCalls {
  /** The executor of one process. A call that is under way when the process dies takes effect, or not. */
  executorOf(process: Process): Executor
}

export function createStorageCalls(universe: Universe): StorageCalls {
  const { draw, faults, scheduler, trace, database } = universe
  let fullUntilMs = 0
  const latencyMs = () =>
    1 + (faults.strikes('storageSlow') ? draw.below(SLOW_MAX_MS) : draw.below(LATENCY_MAX_MS))

  const isFull = (): boolean => {
    if (faults.strikes('storageFull')) fullUntilMs = scheduler.nowMs() + draw.below(FULL_MAX_MS)
    return !faults.isMended() && scheduler.nowMs() < fullUntilMs
  }
  /** What happens at the database when a batch arrives there. */
  const perform = async (
    statements: readonly Statement[],
    by: string,
  ): Promise<readonly StatementResult[]> => {
    const name = nameOfBatch(statements)
    const fail = (message: string, remark: string): Error => {
      trace.say(database.name, `${by}: ${name}: ${remark}`)
      return new Error(message)
    }
    if (faults.strikes('storageRefused')) throw fail('D1_ERROR: Network connection lost.', 'refused')
    if (!/^select/.test(name) && isFull())
      throw fail('D1_ERROR: database or disk is full: SQLITE_FULL', 'full')
    const results = await database.batch(statements)
    const changes = results.reduce((sum, result) => sum + result.changes, 0)
    const rows = results.reduce((sum, result) => sum + result.rows.length, 0)
    const isLost = faults.strikes('storageLost')
    trace.say(
      database.name,
      `${by}: ${name}: ${changes} changed, ${rows} returned${isLost ? ', and the answer is lost' : ''}`,
    )
    if (changes > 0) universe.written(name)
    if (isLost) throw new Error('D1_ERROR: Network connection lost.')
    return results
  }
  return {
    executorOf: (process) => ({
      batch: (statements) =>
        new Promise((resolve, reject) => {
          // A process that died makes no more calls.
          if (!process.isAlive) return
          const arrive = async () => {
            const outcome = await perform(statements, process.name).then(
              (results) => () => {
                resolve(results)
              },
              (error: unknown) => () => {
                reject(error instanceof Error ? error : new Error(String(error)))
              },
            )
            scheduler.schedule(latencyMs(), outcome, process)
          }
          scheduler.schedule(latencyMs(), arrive, draw.chance(50) ? process : everlasting)
        }),
    }),
  }
}
