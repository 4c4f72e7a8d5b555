import { createRateLimiter, type RateLimiter } from '../../../domain/access/rate-limiter.ts'
import type { Clock, Log } from '../../../ports/platform.ts'
import type { OutboxRef } from '../../../ports/messaging.ts'
import type { PlaceMethod, PlaceState } from '../../../domain/placement/move/place-states.ts'
import { readsAlone, type Statement, type Executor } from '../../sqlite/statement/executor.ts'
import { forgivingRun, runBatch, type Run, type ObjectDatabase } from './batch.ts'
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
import { createWakeUp, type Alarm, type WakeUp } from './wake-up.ts'
import { toInstant } from '../../../domain/text/instant.ts'
import { dueInTurns } from '../../sqlite/outbox/store.ts'
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

/** The column by which requests are counted. */
const RATE_COLUMN: keyof KeyRow = 'rate_per_minute'

/** The first statement of a counted batch does not return the column with the rate, so nothing can be counted. */
export class RateColumnMissingError extends Error {
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
export function countRequest(
  keyId: string,
  [found]: readonly PackedResult[],
  rates: RateLimiter,
): KeyBudget | null {
  const column = found?.columns.indexOf(RATE_COLUMN) ?? -1
  if (column < 0) throw new RateColumnMissingError()
  const ratePerMinute = found?.rows[0]?.[column]
  return typeof ratePerMinute === 'number' ? rates.take(keyId, ratePerMinute) : null
}

/** The state of one object, stored and in memory. */
export interface Life {
  state(): State
  /** Changes the state. Called within `atomically`. */
  enter(next: State): void
  /** Runs work in a transaction. When it fails, the state in memory is restored too. */
  atomically<Result>(work: () => Result): Result
  /** Sets the state in memory to `empty`. Called before everything stored is removed. */
  end(): void
}

export function createLife(database: ObjectDatabase, stored: State): Life {
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
