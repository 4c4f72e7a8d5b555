import type { Clock, Log } from '../../../ports/platform.ts'
import { earliestDue, dueInTurns } from '../../sqlite/outbox/store.ts'
import { type Run, forgivingRun, runBatch, type ObjectDatabase } from './batch.ts'
import { createRateLimiter, type RateLimiter } from '../../../domain/access/rate-limiter.ts'
import type { OutboxRef } from '../../../ports/outbox.ts'
import type { PlaceMethod, PlaceState } from '../../../domain/placement/move/place-states.ts'
import { readsAlone, type Statement, type Executor } from '../../sqlite/statement/executor.ts'
import { createBringUp, readFacts, createSchema, writeFact, type BringUp, type Migrations } from './schema.ts'
import {
  unpacked,
  type BatchAnswer,
  type BatchTerms,
  type FamilyObject,
  type Mode,
  type PackedResult,
} from '../protocol.ts'
import { admissionOf, EMPTY, opened, transition, type Given, type State } from './states.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import type { KeyBudget } from '../../../ports/organizations.ts'
import type { KeyRow } from '../../sqlite/tables.ts'

/** What an object needs: its database, the platform's alarm, and ports. */
export interface FamilyTools {
  readonly database: ObjectDatabase
  readonly alarm: Alarm
  /** When the alarm is set to ring, in ms since 1970; null: it is not set. */
  readonly alarmAtMs: number | null
  readonly clock: Clock
  readonly log: Log
  readonly migrations: Migrations
  /** Yields to other calls of the object. */
  readonly breathe: () => Promise<void>
  /** Hands due entries over to the Worker, which answers at once and works on them afterwards. */
  readonly handOver: (refs: readonly OutboxRef[]) => Promise<void>
}

/** The logic of an object, without the platform's class around it. */
export interface Family extends FamilyObject {
  /**
   * Handles the alarm. It sets the next alarm before anything else, and rejects only when that fails. The platform then
   * rings again; after several failures it gives up.
   */
  ring(): Promise<void>
}

/** The parts of an object that is open in memory. */
interface Parts extends FamilyTools {
  readonly life: Life
  readonly schema: BringUp
  readonly run: Run
  readonly wakeUp: WakeUp
  /** Counts the requests of keys that have a rate limit. The counts are lost when the instance ends. */
  readonly rates: RateLimiter
}

/** Opens an object from its stored facts. */
export function openFamily(tools: FamilyTools): Family {
  const { database, alarmAtMs } = tools
  const facts = readFacts(database)
  const schema = createBringUp({ ...tools, position: facts?.schema ?? null })
  const run = forgivingRun(database, () => schema.isExact())
  const schemaAtMs = () => schema.goOnAtMs()
  const wakeUp = createWakeUp({ ...tools, run, setAtMs: alarmAtMs, schemaAtMs })
  const life = createLife(database, facts?.state ?? EMPTY)
  return familyOf({ ...tools, life, schema, run, wakeUp, rates: createRateLimiter(tools.clock) })
}

function familyOf(parts: Parts): Family {
  const { database, life, schema } = parts
  return {
    batch: (mode, statements, terms = {}) => batch(parts, mode, statements, terms),
    advance: (migrations) => schema.advanceTo(migrations),
    create: (familyId) => begin(parts, 'create', familyId),
    begin: (familyId) => begin(parts, 'begin', familyId),
    finish: async (token) => isFilledFor(parts, token) && follow(parts, 'finish', { token }),
    reopen: async (token) => follow(parts, 'reopen', { token }),
    open: async (token) => follow(parts, 'open', { token }),
    pause: async (token, untilMs) => follow(parts, 'pause', { token, untilMs }),
    resume: async (token) => follow(parts, 'resume', { token }),
    seal: async (token) => follow(parts, 'seal', { token }),
    close: async () => follow(parts, 'close'),
    empty: async () => transition('empty', life.state()) !== null && clear(parts),
    remove: async () => isVacant(parts) && clear(parts),
    size: async () => database.sizeBytes(),
    ring: () => ring(parts),
  }
}

/** Sets the alarm again, after the schema has advanced. */
function lookAgain({ database, wakeUp }: Parts): void {
  database.transaction(() => {
    wakeUp.lookAgain()
  })
}

async function batch(
  parts: Parts,
  mode: Mode,
  statements: readonly Statement[],
  { migration, countedKeyId, isConfirmed = false }: BatchTerms,
): Promise<BatchAnswer> {
  const { life, schema, database, clock, log, run, wakeUp, rates } = parts
  if (life.state().name === 'open' && (await schema.advanceWhenDue())) lookAgain(parts)
  const admission = admissionOf(life.state(), mode, clock.nowMs(), isConfirmed)
  if (admission === 'elsewhere') return { elsewhere: true }
  if (admission === 'paused') return { paused: true }
  if (migration !== undefined && schema.lacks(migration)) return { behind: true }
  const answerWith = (results: readonly PackedResult[]): BatchAnswer => {
    const budget = countedKeyId === undefined ? null : countRequest(countedKeyId, results, rates)
    return budget === null ? { results } : { results, budget }
  }
  try {
    // The statements of a read run synchronously, so no write can come between them and they need no transaction.
    if (mode === 'read') return answerWith(runBatch(database, run, statements, true))
    return life.atomically(() => {
      if (admission === 'ends_pause') life.enter(opened(life.state()))
      const results = runBatch(database, run, statements, false)
      if (mode === 'write') wakeUp.wrote()
      return answerWith(results)
    })
  } catch (error) {
    // The answer carries a message alone. SQLite's errors are plain ones; any other is a mistake of this program.
    if (!(error instanceof Error) || error.name !== 'Error') log.error('object_batch_failed', { mode }, error)
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

/** Gives an empty object its tables and its first state. */
async function begin(
  { life, schema, database, migrations }: Parts,
  method: 'create' | 'begin',
  familyId: string,
): Promise<boolean> {
  const all = await migrations.load()
  // The transition is computed after loading the migrations, because another call may have changed the state meanwhile.
  const next = transition(method, life.state(), { familyId })
  if (next === null) return false
  if (next === life.state()) {
    // An earlier version of the service may have created the tables. An object that is being filled is brought up to
    // date only here.
    await schema.advance()
    return true
  }
  life.atomically(() => {
    schema.changed(createSchema(database, all))
    life.enter(next)
  })
  return true
}

/**
 * Enters the state that a method leads to. False: the method is not allowed. Only an open object has work to wake up
 * for.
 */
function follow({ life, wakeUp }: Parts, method: PlaceMethod, given?: Given): boolean {
  const next = transition(method, life.state(), given)
  if (next === null) return false
  if (next === life.state()) return true
  life.atomically(() => {
    life.enter(next)
    if (next.name === 'open') wakeUp.lookAgain()
    if (next.name === 'closed') wakeUp.stop()
  })
  return true
}

/** Whether the object is filled, and the filling was ended for the attempt with this token. */
function isFilledFor({ life, database }: Parts, token: string): boolean {
  if (life.state().name === 'empty') return false
  return database.run('select 1 from move_targets where finished_by = ?', [token]).rows.length > 0
}

/** Whether no organization lives in the object, or is restored or deleted in it. */
function isVacant({ life, database }: Parts): boolean {
  if (life.state().name === 'empty') return true
  const { rows } = database.run('select 1 from organizations union all select 1 from restores limit 1')
  return rows.length === 0
}

async function clear({ life, wakeUp, database, schema }: Parts): Promise<boolean> {
  life.end()
  wakeUp.stop()
  await database.clear()
  schema.changed(null)
  return true
}

/** The states in which an object has work of its own, and not only that of a move. */
const HAS_WORK: ReadonlySet<PlaceState> = new Set(['open', 'paused', 'sealed'])

async function ring(parts: Parts): Promise<void> {
  const { life, wakeUp, database, schema, run, log, handOver } = parts
  if (!HAS_WORK.has(life.state().name)) return
  database.transaction(() => {
    wakeUp.rang()
  })
  try {
    await schema.advance()
    lookAgain(parts)
    const refs = await dueEntries(database, run, wakeUp.dueByMs())
    if (refs.length > 0) await handOver(refs)
  } catch (error) {
    log.error('object_alarm_failed', {}, error)
  }
}

/** The maximum number of entries that one alarm hands over. The next alarm hands over the rest. */
const HANDED_OVER_MAX = 500

/**
 * The entries that were due at an instant, in ms since 1970. The family's organizations take turns, as they do in the
 * sweep of the shared outbox.
 */
function dueEntries(database: ObjectDatabase, run: Run, dueByMs: number): Promise<readonly OutboxRef[]> {
  const executor: Executor = {
    batch: async (statements) => runBatch(database, run, statements, readsAlone(statements)).map(unpacked),
  }
  return dueInTurns(executor, toInstant(dueByMs), HANDED_OVER_MAX)
}

/** The column by which requests are counted. */
const RATE_COLUMN: keyof KeyRow = 'rate_per_minute'

/** The first statement of a counted batch does not return the column with the rate, so nothing can be counted. */
class RateColumnMissingError extends Error {
  override readonly name = 'RateColumnMissingError'
  constructor() {
    super(`The first statement of a counted batch does not return the column ${RATE_COLUMN}`)
  }
}

/**
 * Counts a request of a key against its rate. The first result of the batch has the row of the key, as `CountedBatch`
 * says. Null: the key is not proven, or has no rate. All requests of a family reach the same object, so this count is
 * complete. A column that is missing is an error: otherwise a mistake in a statement would end all rates, unseen.
 */
function countRequest(keyId: string, [found]: readonly PackedResult[], rates: RateLimiter): KeyBudget | null {
  const column = found?.columns.indexOf(RATE_COLUMN) ?? -1
  if (column < 0) throw new RateColumnMissingError()
  const ratePerMinute = found?.rows[0]?.[column]
  return typeof ratePerMinute === 'number' ? rates.take(keyId, ratePerMinute) : null
}

/** The state of one object, stored and in memory. */
interface Life {
  state(): State
  /** Changes the state. Called within `atomically`. */
  enter(next: State): void
  /** Runs work in a transaction. When it fails, the state in memory is restored too. */
  atomically<Result>(work: () => Result): Result
  /** Sets the state in memory to `empty`. Called before everything stored is removed. */
  end(): void
}

function createLife(database: ObjectDatabase, stored: State): Life {
  let state = stored
  return {
    state: () => state,
    enter(next) {
      writeFact(database, 'state', next)
      state = next
    },
    atomically(work) {
      const before = state
      try {
        return database.transaction(work)
      } catch (error) {
        state = before
        throw error
      }
    },
    end() {
      state = EMPTY
    },
  }
}

/**
 * How long an entry must have been due before the alarm hands it over. The Worker that writes an entry starts work on
 * it at once, so the alarm is only for entries that were lost on that way, or are due later.
 */
const GRACE_MS = 5_000

/** How long the Worker has to finish entries that were handed over, before they are handed over again. */
const AGAIN_AFTER_MS = 60_000

/** The alarm of an object. Setting or clearing it is part of the current transaction. */
export interface Alarm {
  set(atMs: number): void
  clear(): void
}

/**
 * Keeps the alarm of an object at the first moment at which there is something to do, and unset while there is nothing.
 */
interface WakeUp {
  /**
   * Sets the alarm for entries that a write may have added. Called in the transaction of the write. An alarm that rings
   * within the grace period is not touched: it rings early enough for everything that is due now, and sets itself again
   * as needed. So a series of submissions does not set and clear the alarm, each time with a write.
   */
  wrote(): void
  /** Sets the alarm earlier, or clears it, where that is needed. Called in a transaction. */
  lookAgain(): void
  /** To be called when the alarm rings, before anything else: sets the next alarm. Called in a transaction. */
  rang(): void
  /** Clears the alarm, because there is nothing left to do. */
  stop(): void
  /** The instant, in ms since 1970, by which an entry must have been due for the alarm to hand it over. */
  dueByMs(): number
}

interface WakeUpTools {
  readonly alarm: Alarm
  readonly clock: Clock
  readonly run: Run
  /** When the alarm is set to ring, in ms since 1970; null: it is not set. */
  readonly setAtMs: number | null
  /** When the object should continue with its schema, in ms since 1970; null: its schema is up to date. */
  readonly schemaAtMs: () => number | null
}

function createWakeUp({ alarm, clock, run, setAtMs, schemaAtMs }: WakeUpTools): WakeUp {
  let ringsAtMs = setAtMs
  // This is lost when the instance ends, and then read from the alarm, which was set for so long after it. Otherwise each
  // instance would hand over everything at once, and an object that its work brings down would never come to rest.
  const isHandedOver = setAtMs !== null && setAtMs <= clock.nowMs() + AGAIN_AFTER_MS
  let handedOverAtMs = isHandedOver ? setAtMs - AGAIN_AFTER_MS : -Infinity
  let rangAtMs = -Infinity
  // An alarm rings by the platform's clock, which may be ahead of this one. Without this maximum, the alarm would be
  // set again for an instant that the platform has already passed, and would ring over and over until this clock has
  // caught up.
  const nowMs = () => Math.max(clock.nowMs(), rangAtMs)

  /** From which instant, in ms since 1970, the first pending entry may be handed over; null: none is pending. */
  const ripeAtMs = (): number | null => {
    const dueAt = run(earliestDue).rows[0]?.[0]
    return typeof dueAt === 'string' ? Date.parse(dueAt) + GRACE_MS : null
  }
  const wantedMs = (): number | null => {
    const [ripeMs, schemaMs] = [ripeAtMs(), schemaAtMs()]
    const wanted = [
      ...(ripeMs === null ? [] : [Math.max(ripeMs, handedOverAtMs + AGAIN_AFTER_MS)]),
      ...(schemaMs === null ? [] : [schemaMs]),
    ]
    return wanted.length === 0 ? null : Math.min(...wanted)
  }
  const stop = (): void => {
    if (ringsAtMs !== null) alarm.clear()
    ringsAtMs = null
  }
  const lookAgain = (): void => {
    const atMs = wantedMs()
    if (atMs === null) stop()
    else if (ringsAtMs === null || atMs < ringsAtMs) {
      alarm.set(atMs)
      ringsAtMs = atMs
    }
  }
  return {
    wrote() {
      if (ringsAtMs === null || ringsAtMs > clock.nowMs() + GRACE_MS) lookAgain()
    },
    lookAgain,
    stop,
    rang() {
      rangAtMs = ringsAtMs ?? -Infinity
      ringsAtMs = null
      if ((ripeAtMs() ?? Infinity) <= nowMs()) handedOverAtMs = nowMs()
      lookAgain()
    },
    dueByMs: () => nowMs() - GRACE_MS,
  }
}
