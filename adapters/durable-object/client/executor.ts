import type { Clock, Meter } from '../../../ports/platform.ts'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import type { StorageOptions } from '../../sqlite/storage-options.ts'
import {
  countRows,
  createMeter,
  readsAlone,
  type CountedResults,
  type Executor,
  type Statement,
} from '../../sqlite/statement/executor.ts'
import type { Migrations } from '../object/schema/bring-up.ts'
import { createObjectCall } from './object-call.ts'
import type { FamilyNamespace, FamilyPlace } from './place.ts'
import { checkLimits, type BatchAnswer, type BatchTerms, type Mode } from '../protocol.ts'
import { unpacked } from '../unpack.ts'

export interface ObjectExecutorOptions {
  readonly namespace: FamilyNamespace
  readonly place: FamilyPlace
  readonly clock: Clock
  /** Counts what the object bills. Optional. */
  readonly meter?: Meter
  /**
   * Whether the statements belong to a move. Those run in states in which an object refuses all others. Default: no.
   */
  readonly isMove?: boolean
  /**
   * Whether the directory has named the place since the present request began. Left out: the place is only remembered,
   * and the object refuses the statements while it cannot know whether the family still lives there.
   */
  readonly isConfirmed?: boolean
  /**
   * The migrations that the statements rely on. An object that lacks some of them is brought up to date first. Left
   * out: the statements are run without a check.
   */
  readonly migrations?: Migrations
}

/** How often an object that lacks tables is asked to continue. Each time it works on its schema for a bounded time. */
const ADVANCES_MAX = 20

/**
 * Runs statements in the object of a family. Rejects with `ElsewhereError` when the object does not hold the family,
 * and with `PausedError` when a move pauses the family's writes; in both cases nothing happened. Reads that failed are
 * retried a bounded number of times; writes are not.
 */
export function createExecutor(options: ObjectExecutorOptions): Executor {
  return executorBy(createBatch(options))
}

/**
 * The options of a storage over an object: the executor above, and a batch by which the object counts the requests of
 * keys.
 */
export function storageOptionsOf(options: ObjectExecutorOptions): StorageOptions {
  const batch = createBatch(options)
  return { executor: executorBy(batch), clock: options.clock, countedBatch: batch }
}

function executorBy(batch: Batch): Executor {
  return { batch: async (statements) => (await batch(statements)).results }
}

type Batch = (statements: readonly Statement[], countedKeyId?: string) => Promise<CountedResults>

function createBatch(options: ObjectExecutorOptions): Batch {
  const { meter = createMeter(), isMove = false, isConfirmed = false, migrations } = options
  const call = createObjectCall({ ...options, meter })
  const advance = async () => {
    const all = (await migrations?.load()) ?? []
    return call((object) => object.advance(all), true)
  }
  return async (statements, countedKeyId) => {
    if (statements.length === 0) return { results: [], budget: null }
    checkLimits(statements)
    const onlyReads = readsAlone(statements)
    const mode = modeOf(isMove, onlyReads)
    // Only these properties are sent: the others matter to the caller alone.
    const sent = statements.map(sentPart)
    const ask = (migration?: string) =>
      call((object) => object.batch(mode, sent, termsOf(migration, countedKeyId, isConfirmed)), onlyReads)
    let answer = await ask(migrations?.newest)
    for (let advances = 0; 'behind' in answer && advances < ADVANCES_MAX; advances += 1) {
      if (!(await advance())) break
      answer = await ask(migrations?.newest)
    }
    // The object still lacks some of the newest tables, but most statements do not use them, so they are tried without
    // the check.
    if ('behind' in answer) answer = await ask()
    const counted = resultsOf(answer)
    countRows(meter, counted.results)
    return counted
  }
}

function termsOf(
  migration: string | undefined,
  countedKeyId: string | undefined,
  isConfirmed: boolean,
): BatchTerms {
  return {
    ...(isConfirmed ? { isConfirmed } : {}),
    ...(migration === undefined ? {} : { migration }),
    ...(countedKeyId === undefined ? {} : { countedKeyId }),
  }
}

function modeOf(isMove: boolean, onlyReads: boolean): Mode {
  if (isMove) return 'move'
  return onlyReads ? 'read' : 'write'
}

function sentPart({ sql, parameters, isUncounted }: Statement): Statement {
  return isUncounted === true ? { sql, parameters, isUncounted } : { sql, parameters }
}

function resultsOf(answer: BatchAnswer): CountedResults {
  if ('results' in answer) return { results: answer.results.map(unpacked), budget: answer.budget ?? null }
  if ('failed' in answer) throw new Error(answer.failed)
  if ('paused' in answer) throw new PausedError()
  if ('behind' in answer) throw new Error('An object lacks what nobody has asked for')
  throw new ElsewhereError()
}
