import type { Family } from '../../../adapters/durable-object/family.ts'
import { openFamily } from '../../../adapters/durable-object/family.ts'
import type { FamilyNamespace } from '../../../adapters/durable-object/index.ts'
import { migrationTexts } from '../../../adapters/durable-object/migration-texts.ts'
import { NEWEST_MIGRATION } from '../../../adapters/durable-object/newest-migration.ts'
import type { FamilyObject } from '../../../adapters/durable-object/protocol.ts'
import type { OutboxRef } from '../../../ports/outbox-store.ts'
import type { SimulatedObjectDatabase, Stored } from '../engine/database.ts'
import { nameOfBatch, openSimulatedObjectDatabase } from '../engine/database.ts'
import { everlasting } from '../engine/scheduler.ts'
import type { Process } from './process.ts'
import type { Universe } from './universe.ts'

/** The objects of families as the platform keeps them. They outlive every process of the Worker. */
export interface FamilyObjects extends Stored {
  /** The objects as a process reaches them; null: without a network, for whoever founds the world. */
  namespaceOf(process: Process | null): FamilyNamespace
  close(): void
}

/** Hands entries over to a process of the Worker, which answers at once. */
export type HandOver = (refs: readonly OutboxRef[]) => Promise<void>

interface StoredObject {
  readonly name: string
  readonly database: SimulatedObjectDatabase
  alarmAtMs: number | null
  /** The running instance; null: the platform has put it away. */
  instance: Family | null
}

const METHODS: readonly (keyof FamilyObject)[] = [
  ...(['batch', 'create', 'beginFilling', 'openFilled', 'pause', 'resume', 'seal', 'unseal'] as const),
  ...(['close', 'empty', 'size'] as const),
]
const LATENCY_MAX_MS = 6
const SLOW_MAX_MS = 90_000
const LATE_MAX_MS = 60_000
/** When the platform rings again after an alarm that failed. */
const RING_AGAIN_MS = 2_000

export function createFamilyObjects(universe: Omit<Universe, 'stored'>, handOver: HandOver): FamilyObjects {
  const { scheduler, faults, draw, trace, mutant } = universe
  const objects = new Map<string, StoredObject>()

  const ring = async (object: StoredObject, atMs: number): Promise<void> => {
    if (object.alarmAtMs !== atMs) return
    object.alarmAtMs = null
    if (faults.strikes('objectReset')) {
      trace.say(object.name, 'goes down when its alarm rings')
      object.instance = null
      setAlarm(object, scheduler.nowMs() + RING_AGAIN_MS)
      return
    }
    trace.say(object.name, 'hears its alarm')
    // Not awaited by the event: the hand-over takes more of them.
    void instanceOf(object).ring()
  }
  const setAlarm = (object: StoredObject, atMs: number): void => {
    object.alarmAtMs = atMs
    const lateMs = faults.strikes('alarmLate') ? draw.below(LATE_MAX_MS) : 0
    scheduler.schedule(atMs - scheduler.nowMs() + lateMs, () => ring(object, atMs))
  }
  /** An alarm belongs to the transaction in which it is set. */
  const withAlarm = (object: StoredObject): SimulatedObjectDatabase => ({
    ...object.database,
    transaction(work) {
      const before = object.alarmAtMs
      try {
        return object.database.transaction(work)
      } catch (error) {
        object.alarmAtMs = before
        throw error
      }
    },
  })
  const instanceOf = (object: StoredObject): Family =>
    (object.instance ??= openFamily({
      database: withAlarm(object),
      alarm: {
        set: (atMs) => {
          setAlarm(object, atMs)
        },
        clear: () => {
          object.alarmAtMs = null
        },
      },
      alarmAtMs: object.alarmAtMs,
      clock: { nowMs: scheduler.nowMs },
      log: {
        info: () => undefined,
        error: (event) => {
          trace.say(object.name, `logs ${event}`)
        },
      },
      migrations: { newest: NEWEST_MIGRATION, load: async () => migrationTexts() },
      breathe: async () => undefined,
      handOver,
    }))
  const objectNamed = (name: string): StoredObject => {
    const known = objects.get(name)
    if (known !== undefined) return known
    const database = openSimulatedObjectDatabase({ name, nowMs: scheduler.nowMs, rewrite: mutant?.statement })
    const made: StoredObject = { name, database, alarmAtMs: null, instance: null }
    objects.set(name, made)
    return made
  }
  const directly = (name: string): Family => instanceOf(objectNamed(name))
  const remotely = (name: string, process: Process): FamilyObject => {
    const call = createCall(objectNamed(name), instanceOf, process, universe)
    return Object.fromEntries(METHODS.map((method) => [method, call(method)])) as unknown as FamilyObject
  }
  const namespaceOf = (process: Process | null): FamilyNamespace => ({
    idFromName: (name) => ({ name }),
    get: (id) => {
      const { name } = id as { readonly name: string }
      return process === null ? directly(name) : remotely(name, process)
    },
    jurisdiction: () => namespaceOf(process),
  })
  return {
    namespaceOf,
    look: (sql, ...parameters) =>
      [...objects.values()].flatMap(({ database }) => [...database.look(sql, ...parameters)]),
    close() {
      for (const { database } of objects.values()) database.close()
    },
  }
}

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>

/** Calls of one object by one process, over the network. */
function createCall(
  object: StoredObject,
  instanceOf: (object: StoredObject) => Family,
  process: Process,
  { scheduler, faults, draw, trace, written }: Omit<Universe, 'stored'>,
): (method: keyof FamilyObject) => AnyMethod {
  const latencyMs = () =>
    1 + (faults.strikes('storageSlow') ? draw.below(SLOW_MAX_MS) : draw.below(LATENCY_MAX_MS))
  const goDown = (): Error => {
    object.instance = null
    return Object.assign(new Error('The object went down.'), { durableObjectReset: true })
  }
  const perform = async (method: keyof FamilyObject, given: readonly unknown[]): Promise<unknown> => {
    const name = method === 'batch' ? nameOfBatch(given[1] as readonly { sql: string }[]) : method
    const say = (remark: string) => {
      trace.say(object.name, `${process.name}: ${name}: ${remark}`)
    }
    if (faults.strikes('storageRefused')) {
      say('refused')
      const marks = { [draw.pick(['retryable', 'overloaded', 'unmarked'])]: true }
      throw Object.assign(new Error('The object was not reached.'), marks)
    }
    const isDown = faults.strikes('objectReset')
    if (isDown && draw.chance(50)) {
      say('goes down before it')
      throw goDown()
    }
    const methods = instanceOf(object) as unknown as Record<string, AnyMethod>
    const answer = await methods[method]?.(...given)
    const isLost = faults.strikes('storageLost')
    say(`${wordFor(answer)}${isDown ? ', and goes down' : ''}${isLost ? ', and the answer is lost' : ''}`)
    if (method === 'batch' && given[0] !== 'read') written(name)
    if (isDown) throw goDown()
    if (isLost) throw new Error('Network connection lost.')
    return answer
  }
  return (method) =>
    (...given) =>
      new Promise((resolve, reject) => {
        // A process that died makes no more calls.
        if (!process.isAlive) return
        const arrive = async () => {
          const outcome = await perform(method, given).then(
            (answer) => () => {
              resolve(answer)
            },
            (error: unknown) => () => {
              reject(error instanceof Error ? error : new Error(String(error)))
            },
          )
          scheduler.schedule(latencyMs(), outcome, process)
        }
        scheduler.schedule(latencyMs(), arrive, draw.chance(50) ? process : everlasting)
      })
}

function wordFor(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return String(answer)
  const [word = ''] = Object.keys(answer)
  return word === 'results' ? 'done' : word
}
