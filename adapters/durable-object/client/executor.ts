import type { Clock, Meter } from '../../../ports/platform.ts'
import { ElsewhereError, PausedError } from '../../../domain/placement/find/errors.ts'
import type { StorageOptions } from '../../sqlite/placement/guard.ts'
import {
  countRows,
  createMeter,
  readsAlone,
  type CountedResults,
  type Executor,
  type Statement,
  repeatCall,
} from '../../sqlite/statement/executor.ts'
import type { Migrations } from '../object/schema.ts'
import {
  checkLimits,
  unpacked,
  type BatchAnswer,
  type BatchTerms,
  type Mode,
  type FamilyObject,
} from '../protocol.ts'
import { doublingPauses, type Backoff } from '../../../domain/limits/waiting.ts'
import type { DurableObjectJurisdiction, DurableObjectLocationHint } from '@cloudflare/workers-types'

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
    const mode: Mode = isMove ? 'move' : onlyReads ? 'read' : 'write'
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

/** Six attempts, with pauses of about a second in all: as long as the platform takes to restart an object. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(30, 5), spread: { least: 0.5, most: 1.5 } }

interface ObjectCallOptions {
  readonly namespace: FamilyNamespace
  readonly place: FamilyPlace
  readonly clock: Clock
  readonly meter: Meter
}

/**
 * Calls an object. Rejects with the error of the last attempt.
 * @param isRepeatable whether the call may take effect twice, so that it can be retried after an unknown outcome
 */
type ObjectCall = <Result>(
  ask: (object: FamilyObject) => Promise<Result>,
  isRepeatable: boolean,
) => Promise<Result>

/**
 * Makes calls of one object, each counted by the meter. A stub that threw may be broken, so the next attempt uses a new
 * one.
 */
export function createObjectCall({ namespace, place, clock, meter }: ObjectCallOptions): ObjectCall {
  let stub: FamilyObject | null = null
  const attempt = async <Result>(ask: (object: FamilyObject) => Promise<Result>): Promise<Result> => {
    meter.calls += 1
    try {
      stub ??= stubOf(namespace, place)
      return await ask(stub)
    } catch (error) {
      stub = null
      throw error
    }
  }
  return (ask, isRepeatable) => {
    const isPassing = (error: unknown) => mayBeTriedAgain(error, isRepeatable)
    return repeatCall(BACKOFF, { isPassing, clock }, () => attempt(ask))
  }
}

/** How the platform marks its own exceptions. */
interface PlatformMarks {
  /** The failure is temporary. The call may have taken effect. */
  readonly retryable?: boolean
  /**
   * The object has too much to do. The platform's manual ("Error handling") says not to retry, because that would add
   * to the load.
   */
  readonly overloaded?: boolean
  /** The object was reset during the call. The next call starts it again. */
  readonly durableObjectReset?: boolean
}

function mayBeTriedAgain(error: unknown, isRepeatable: boolean): boolean {
  const { retryable, overloaded, durableObjectReset } = (error ?? {}) as PlatformMarks
  if (overloaded === true) return false
  return isRepeatable && (retryable === true || durableObjectReset === true)
}

/** Where a family's object is. */
export interface FamilyPlace {
  readonly familyId: string
  /** Grows with each move of the family, so that no object is ever reused. */
  readonly generation: number
  /** The platform's location hint for the object; null: near the client whose request creates it. */
  readonly region: string | null
  /** The jurisdiction in which the object must stay by law. It is part of the object's name. Null: anywhere. */
  readonly jurisdiction: string | null
}

/** The part of the platform's namespace of objects that is used here. */
export interface FamilyNamespace {
  idFromName(name: string): FamilyObjectId
  get(id: FamilyObjectId, options?: { locationHint?: DurableObjectLocationHint }): unknown
  jurisdiction(jurisdiction: DurableObjectJurisdiction): FamilyNamespace
}

/** The id of one object. It is opaque: only the namespace reads it. */
type FamilyObjectId = object

/** Whether the platform knows a jurisdiction. No I/O. The local runtime knows none. */
export function knowsJurisdiction(namespace: FamilyNamespace, jurisdiction: string): boolean {
  try {
    namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)
    return true
  } catch {
    return false
  }
}

/**
 * A stub of a family's object. No I/O. Throws when the platform does not know the jurisdiction, so an object that must
 * stay in one is never put elsewhere.
 */
function stubOf(
  namespace: FamilyNamespace,
  { familyId, generation, region, jurisdiction }: FamilyPlace,
): FamilyObject {
  const within =
    jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction as DurableObjectJurisdiction)
  const id = within.idFromName(`${familyId}.${generation}`)
  const hint = region === null ? {} : { locationHint: region as DurableObjectLocationHint }
  // The platform's own stub type depends on the object's class, which only the Worker may import.
  return within.get(id, hint) as FamilyObject
}
