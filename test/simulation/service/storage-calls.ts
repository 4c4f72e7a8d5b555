import type { Executor, Statement, StatementResult } from '../../../adapters/sqlite/index.ts'
import { nameOfBatch } from '../engine/database.ts'
import { everlasting } from '../engine/scheduler.ts'
import type { Process } from './processes/process.ts'
import { toldCall } from './told-changes.ts'
import type { Universe } from './universe.ts'

const LATENCY_MAX_MS = 6
const SLOW_MAX_MS = 90_000
const FULL_MAX_MS = 60_000

/** The part of the world that simulated storage uses. */
type Storing = Pick<Universe, 'decide' | 'faults' | 'scheduler'>

/** How long a call of storage takes in one direction, in ms. */
export function callLatencyMs(what: string, { decide, faults }: Pick<Storing, 'decide' | 'faults'>): number {
  const isSlow = faults.strikes('storageSlow', what)
  return 1 + decide.delayMs(`latency of ${what}`, isSlow ? SLOW_MAX_MS : LATENCY_MAX_MS)
}

/** The disk of a database. Decides at an occasion whether it refuses writes. */
export function createDisk({ decide, faults, scheduler }: Storing): (where: string) => boolean {
  let fullUntilMs = 0
  return (where) => {
    if (faults.strikes('storageFull', where))
      fullUntilMs = scheduler.nowMs() + decide.delayMs(`full since ${where}`, FULL_MAX_MS)
    return !faults.isMended() && scheduler.nowMs() < fullUntilMs
  }
}

/** The database as processes reach it: over a network, with faults. */
export interface StorageCalls {
  /** The executor of one process. A call that is running when the process dies may or may not take effect. */
  executorOf(process: Process): Executor
}

export function createStorageCalls(universe: Universe): StorageCalls {
  const { decide, faults, scheduler, trace, database } = universe
  const isFull = createDisk(universe)
  /** Handles a batch that arrives at the database. */
  const perform = async (
    statements: readonly Statement[],
    { name: by, version }: Process,
  ): Promise<readonly StatementResult[]> => {
    const name = nameOfBatch(statements)
    const where = `${by}: ${name}`
    const fail = (message: string, remark: string): Error => {
      trace.say(database.name, `${where}: ${remark}`)
      return new Error(message)
    }
    if (faults.strikes('storageRefused', where)) throw fail('D1_ERROR: Network connection lost.', 'refused')
    if (!/^select/.test(name) && isFull(where))
      throw fail('D1_ERROR: database or disk is full: SQLITE_FULL', 'full')
    const results = await database.batch(
      statements.map((statement) => ({ ...statement, sql: version.statement(statement.sql) })),
    )
    const changes = results.reduce((sum, result) => sum + result.changes, 0)
    const rows = results.reduce((sum, result) => sum + result.rows.length, 0)
    const isLost = faults.strikes('storageLost', where)
    const remark = `${where}: ${changes} changed, ${rows} returned${isLost ? ', and the answer is lost' : ''}`
    universe.written((changed) => {
      trace.say(database.name, remark, () => toldCall(statements, changed))
    })
    if (isLost) throw new Error('D1_ERROR: Network connection lost.')
    return results
  }
  return {
    executorOf: (process) => ({
      batch: (statements) =>
        new Promise((resolve, reject) => {
          // A process that died makes no more calls.
          if (!process.isAlive) return
          const latencyMs = () => callLatencyMs(`${process.name}: ${nameOfBatch(statements)}`, universe)
          const arrive = async () => {
            const outcome = await perform(statements, process).then(
              (results) => () => {
                resolve(results)
              },
              (error: unknown) => () => {
                reject(error instanceof Error ? error : new Error(String(error)))
              },
            )
            scheduler.schedule(latencyMs(), outcome, process)
          }
          const isLostWithIt = decide.chance(`${process.name} takes a call with it`, 50)
          scheduler.schedule(latencyMs(), arrive, isLostWithIt ? process : everlasting)
        }),
    }),
  }
}
