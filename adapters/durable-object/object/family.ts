import type { RateLimiter } from '../../../domain/access/rate-limiter.ts'
import { createRateLimiter } from '../../../domain/access/rate-limiter.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { Log } from '../../../ports/platform/log.ts'
import type { OutboxRef } from '../../../ports/messaging/outbox-store.ts'
import type { Statement } from '../../sqlite/statement/executor.ts'
import type { Run } from './batch.ts'
import { forgivingRun, runBatch } from './batch.ts'
import type { BringUp, Migrations } from './bring-up.ts'
import { createBringUp } from './bring-up.ts'
import { countRequest } from './key-rates.ts'
import { dueEntries } from './due-entries.ts'
import { readFacts } from './facts.ts'
import type { Life } from './life.ts'
import { createLife } from './life.ts'
import type { ObjectDatabase } from './object-database.ts'
import type { BatchAnswer, BatchTerms, FamilyObject, Mode, PackedResult } from '../protocol.ts'
import { createSchema } from './schema-steps.ts'
import type { State } from './states.ts'
import { admissionOf, EMPTY, opened, transitions } from './states.ts'
import type { Alarm, WakeUp } from './wake-up.ts'
import { createWakeUp } from './wake-up.ts'

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
  const run = forgivingRun(database, () => !schema.isExact())
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
    create: (familyId) => begin(parts, transitions.create, familyId),
    beginFilling: (familyId) => begin(parts, transitions.beginFilling, familyId),
    openFilled: async () => follow(parts, transitions.openFilled(life.state())),
    pause: async (token, untilMs) => follow(parts, transitions.pause(life.state(), token, untilMs)),
    resume: async (token) => follow(parts, transitions.resume(life.state(), token)),
    seal: async (token) => follow(parts, transitions.seal(life.state(), token)),
    unseal: async (token) => follow(parts, transitions.unseal(life.state(), token)),
    close: async () => follow(parts, transitions.close(life.state())),
    empty: async () => transitions.empty(life.state()) !== null && clear(parts),
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
  arrow: (from: State, familyId: string) => State | null,
  familyId: string,
): Promise<boolean> {
  const all = await migrations.load()
  // The transition is computed after loading the migrations, because another call may have changed the state meanwhile.
  const next = arrow(life.state(), familyId)
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
 * Enters the state that a transition leads to. False: the transition is not allowed (null). Only an open object has
 * work to wake up for.
 */
function follow({ life, wakeUp }: Parts, next: State | null): boolean {
  if (next === null) return false
  if (next === life.state()) return true
  life.atomically(() => {
    life.enter(next)
    if (next.name === 'open') wakeUp.lookAgain()
    if (next.name === 'closed') wakeUp.stop()
  })
  return true
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

async function ring(parts: Parts): Promise<void> {
  const { life, wakeUp, database, schema, run, log, handOver } = parts
  const { name } = life.state()
  if (name === 'empty' || name === 'closed' || name === 'filling') return
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
