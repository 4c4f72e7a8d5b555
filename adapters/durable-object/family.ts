import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import type { Executor } from '../sqlite/index.ts'
import { createStorage, readsAlone } from '../sqlite/index.ts'
import { forgivingRun, runBatch } from './batch.ts'
import type { Migrations } from './bring-up.ts'
import { createBringUp } from './bring-up.ts'
import { readFacts, writeFact } from './facts.ts'
import type { ObjectDatabase } from './object-database.ts'
import type { BatchAnswer, FamilyObject, Mode } from './protocol.ts'
import { createSchema } from './schema-steps.ts'
import type { State } from './states.ts'
import { admissionOf, EMPTY, opened, transitions } from './states.ts'
import { unpacked } from './unpack.ts'
import type { Alarm } from './wake-up.ts'
import { createWakeUp } from './wake-up.ts'

/** Most entries that one ringing of the alarm hands over. The others follow when it rings again. */
const HANDED_OVER_MAX = 500

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
  /** What the alarm does. Never rejects, because the platform gives an alarm up after some failures. */
  ring(): Promise<void>
}

/** Opens what is stored. */
export function openFamily(tools: FamilyTools): Family {
  const { database, clock, log } = tools
  const facts = readFacts(database)
  let state: State = facts?.state ?? EMPTY
  const schema = createBringUp({ ...tools, position: facts?.schema ?? null })
  const run = forgivingRun(database, () => !schema.isExact())
  const wakeUp = createWakeUp({ ...tools, run, setAtMs: tools.alarmAtMs, schemaAtMs: schema.goOnAtMs })

  const enter = (next: State): void => {
    writeFact(database, 'state', next)
    state = next
  }

  /** A transaction that takes back what it changed of the state when it fails. */
  const atomically = <Result>(work: () => Result): Result => {
    const before = state
    try {
      return database.transaction(work)
    } catch (error) {
      state = before
      throw error
    }
  }

  /** Follows an arrow, if there is one. The alarm is looked at because only an open object has work to do. */
  const follow = (next: State | null): boolean => {
    if (next === null) return false
    if (next === state) return true
    atomically(() => {
      enter(next)
      if (next.name === 'open') wakeUp.lookAgain()
    })
    return true
  }

  const begin = async (next: State | null): Promise<boolean> => {
    if (next === null || next === state) return next !== null
    const migrations = await tools.migrations.load()
    // Another call may have begun in the meantime.
    if (state.name !== 'empty') return JSON.stringify(state) === JSON.stringify(next)
    atomically(() => {
      schema.changed(createSchema(database, migrations))
      enter(next)
    })
    return true
  }

  const work = (mode: Mode, statements: Parameters<Family['batch']>[1]): BatchAnswer => {
    const admission = admissionOf(state, mode, clock.nowMs())
    if (admission === 'elsewhere') return { elsewhere: true }
    if (admission === 'paused') return { paused: true }
    if (mode === 'read') return { results: runBatch(database, run, statements, true) }
    return atomically(() => {
      if (admission === 'ends_pause' && state.name === 'paused') enter(opened(state))
      const results = runBatch(database, run, statements, false)
      if (mode === 'write') wakeUp.lookAgain()
      return { results }
    })
  }

  const batch: Family['batch'] = async (mode, statements) => {
    if (state.name === 'open') await schema.advanceOnce()
    try {
      return work(mode, statements)
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) }
    }
  }

  /** What is due, as the outbox's own port gives it. */
  const due = (): Promise<readonly OutboxRef[]> => {
    const executor: Executor = {
      batch: async (statements) => runBatch(database, run, statements, readsAlone(statements)).map(unpacked),
    }
    const { outbox } = createStorage({ executor, clock })
    return outbox.due(toInstant(wakeUp.dueByMs()), HANDED_OVER_MAX)
  }

  const answerAlarm = async (): Promise<void> => {
    if (state.name === 'empty' || state.name === 'closed' || state.name === 'filling') return
    database.transaction(() => {
      wakeUp.rang()
    })
    await schema.advance()
    database.transaction(() => {
      wakeUp.lookAgain()
    })
    const refs = await due()
    if (refs.length > 0) await tools.handOver(refs)
  }

  return {
    batch,
    create: (familyId) => begin(transitions.create(state, familyId)),
    beginFilling: (familyId) => begin(transitions.beginFilling(state, familyId)),
    openFilled: async () => follow(transitions.openFilled(state)),
    pause: async (token, untilMs) => follow(transitions.pause(state, token, untilMs)),
    resume: async (token) => follow(transitions.resume(state, token)),
    seal: async (token) => follow(transitions.seal(state, token)),
    unseal: async (token) => follow(transitions.unseal(state, token)),
    close: async () => follow(transitions.close(state)),
    async empty() {
      if (transitions.empty(state) === null) return false
      state = EMPTY
      await database.clear()
      schema.changed(null)
      wakeUp.forget()
      return true
    },
    size: async () => database.sizeBytes(),
    async ring() {
      try {
        await answerAlarm()
      } catch (error) {
        log.error('object_alarm_failed', {}, error)
      }
    },
  }
}
