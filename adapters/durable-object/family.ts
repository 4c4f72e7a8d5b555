import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import type { Statement } from '../sqlite/statement/executor.ts'
import type { Run } from './batch.ts'
import { forgivingRun, runBatch } from './batch.ts'
import type { BringUp, Migrations } from './bring-up.ts'
import { createBringUp } from './bring-up.ts'
import { dueEntries } from './due-entries.ts'
import { readFacts } from './facts.ts'
import type { Life } from './life.ts'
import { createLife } from './life.ts'
import type { ObjectDatabase } from './object-database.ts'
import type { BatchAnswer, FamilyObject, Mode } from './protocol.ts'
import { createSchema } from './schema-steps.ts'
import type { State } from './states.ts'
import { admissionOf, EMPTY, opened, transitions } from './states.ts'
import type { Alarm, WakeUp } from './wake-up.ts'
import { createWakeUp } from './wake-up.ts'

/** What an object is made of. */
export interface FamilyTools {
  readonly database: ObjectDatabase
  readonly alarm: Alarm
  /** When the alarm is set to ring, in ms since 1970; null: it is not set. */
  readonly alarmAtMs: number | null
  readonly clock: Clock
  readonly log: Log
  readonly migrations: Migrations
  /** Lets other calls of the object have their turn. */
  readonly breathe: () => Promise<void>
  /** Hands due entries over to the Worker, which answers at once and works on them afterwards. */
  readonly handOver: (refs: readonly OutboxRef[]) => Promise<void>
}

/** An object without its platform. */
export interface Family extends FamilyObject {
  /**
   * What the alarm does. The next one is set before anything else; only when that fails does it reject, so that the
   * platform rings again. It gives an alarm up that has failed some times.
   */
  ring(): Promise<void>
}

/** The parts of an object that is open in memory. */
interface Parts extends FamilyTools {
  readonly life: Life
  readonly schema: BringUp
  readonly run: Run
  readonly wakeUp: WakeUp
}

/** Opens what is stored. */
export function openFamily(tools: FamilyTools): Family {
  const { database, alarmAtMs } = tools
  const facts = readFacts(database)
  const schema = createBringUp({ ...tools, position: facts?.schema ?? null })
  const run = forgivingRun(database, () => !schema.isExact())
  const schemaAtMs = () => schema.goOnAtMs()
  const wakeUp = createWakeUp({ ...tools, run, setAtMs: alarmAtMs, schemaAtMs })
  return familyOf({ ...tools, life: createLife(database, facts?.state ?? EMPTY), schema, run, wakeUp })
}

function familyOf(parts: Parts): Family {
  const { database, life } = parts
  return {
    batch: (mode, statements) => batch(parts, mode, statements),
    create: (familyId) => begin(parts, transitions.create, familyId),
    beginFilling: (familyId) => begin(parts, transitions.beginFilling, familyId),
    openFilled: async () => follow(parts, transitions.openFilled(life.state())),
    pause: async (token, untilMs) => follow(parts, transitions.pause(life.state(), token, untilMs)),
    resume: async (token) => follow(parts, transitions.resume(life.state(), token)),
    seal: async (token) => follow(parts, transitions.seal(life.state(), token)),
    unseal: async (token) => follow(parts, transitions.unseal(life.state(), token)),
    close: async () => follow(parts, transitions.close(life.state())),
    empty: () => empty(parts),
    size: async () => database.sizeBytes(),
    ring: () => ring(parts),
  }
}

/** Sets the alarm for what the schema still needs. */
function lookAgain({ database, wakeUp }: Parts): void {
  database.transaction(() => {
    wakeUp.lookAgain()
  })
}

async function batch(parts: Parts, mode: Mode, statements: readonly Statement[]): Promise<BatchAnswer> {
  const { life, schema, database, clock, run, wakeUp } = parts
  if (life.state().name === 'open' && (await schema.advanceAtFirst())) lookAgain(parts)
  const admission = admissionOf(life.state(), mode, clock.nowMs())
  if (admission === 'elsewhere') return { elsewhere: true }
  if (admission === 'paused') return { paused: true }
  try {
    // Nothing comes between statements that run at once, so reads need no transaction to see one state.
    if (mode === 'read') return { results: runBatch(database, run, statements, true) }
    return life.atomically(() => {
      if (admission === 'ends_pause') life.enter(opened(life.state()))
      const results = runBatch(database, run, statements, false)
      if (mode === 'write') wakeUp.lookAgain()
      return { results }
    })
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

/** Gives an empty object its tables and a state. */
async function begin(
  { life, schema, database, migrations }: Parts,
  arrow: (from: State, familyId: string) => State | null,
  familyId: string,
): Promise<boolean> {
  const all = await migrations.load()
  // The arrow is looked up after the loading, during which another call may have begun.
  const next = arrow(life.state(), familyId)
  if (next === null || next === life.state()) return next !== null
  life.atomically(() => {
    schema.changed(createSchema(database, all))
    life.enter(next)
  })
  return true
}

/** Follows an arrow, if there is one (null: none). Only an object that is open has anything to wake up for. */
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

async function empty({ life, wakeUp, database, schema }: Parts): Promise<boolean> {
  if (transitions.empty(life.state()) === null) return false
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
