import { openFamily } from '../../../../adapters/durable-object/object/family.ts'
import type { FamilyNamespace } from '../../../../adapters/durable-object/index.ts'
import type { FamilyObject } from '../../../../adapters/durable-object/protocol.ts'
import type { OutboxRef } from '../../../../ports/outbox.ts'
import { openSimulatedObjectDatabase, type SimulatedObjectDatabase } from '../../engine/database.ts'
import { createAlarm, type SimulatedAlarm } from './alarm.ts'
import { clockOf } from '../clock.ts'
import { createObjectCalls } from './object-calls.ts'
import type { Process } from '../processes/process.ts'
import type { Instance, ObjectUniverse, StoredObject } from './stored-object.ts'
import { createDisk } from '../storage-calls.ts'

/** The objects of families as the platform keeps them. They outlive every process of the Worker. */
export interface FamilyObjects {
  /** The objects as a process reaches them. Null: without a network, for setting up the world. */
  namespaceOf(process: Process | null): FamilyNamespace
  /** All objects that have ever existed. */
  all(): readonly StoredObject[]
  close(): void
}

/** Hands entries over to a process of the Worker, which answers at once. */
export type HandOver = (refs: readonly OutboxRef[]) => Promise<void>

/** @param holds whether an organization lives in the database of a name */
export function createFamilyObjects(
  universe: ObjectUniverse,
  holds: (organizationId: string, name: string) => boolean,
  handOver: HandOver,
): FamilyObjects {
  const { scheduler, mutant } = universe
  const objects = new Map<string, StoredObject>()
  const databases: SimulatedObjectDatabase[] = []
  const objectNamed = (name: string): StoredObject => {
    const known = objects.get(name)
    if (known !== undefined) return known
    const database = openSimulatedObjectDatabase({
      name,
      nowMs: scheduler.nowMs,
      holds: (organizationId) => holds(organizationId, name),
      rewrite: mutant?.statement,
    })
    databases.push(database)
    const made = createObject(name, database, universe, handOver)
    objects.set(name, made)
    return made
  }
  const call = createObjectCalls(universe)
  const namespaceOf = (process: Process | null): FamilyNamespace => ({
    idFromName: (name) => ({ name }),
    get(id): FamilyObject {
      const { name } = id as { readonly name: string }
      const object = objectNamed(name)
      return process === null ? object.instance().family : call(object, process)
    },
    jurisdiction: () => namespaceOf(process),
  })
  return {
    namespaceOf,
    all: () => [...objects.values()],
    close() {
      for (const database of databases) database.close()
    },
  }
}

function createObject(
  name: string,
  database: SimulatedObjectDatabase,
  universe: ObjectUniverse,
  handOver: HandOver,
): StoredObject {
  const isFull = createDisk(universe)
  let running: Instance | null = null
  const goDown = (): void => {
    if (running !== null) running.isAlive = false
    running = null
  }
  const start = (): Instance => {
    const version = universe.versionOf(name)
    const instance = { isAlive: true, version }
    const family = openFamily({
      database: databaseOf(instance, database, alarm, isFull),
      alarm,
      alarmAtMs: alarm.atMs(),
      clock: clockOf(name, instance, universe),
      log: {
        info: () => undefined,
        error: (event) => {
          universe.trace.say(name, `logs ${event}`)
        },
      },
      migrations: { newest: version.migrations.at(-1)?.name ?? '', load: async () => version.migrations },
      breathe: async () => undefined,
      handOver,
    })
    return Object.assign(instance, { family: universe.mutant?.family?.(family, database) ?? family })
  }
  const object: StoredObject = {
    name,
    stored: database,
    broken: null,
    instance: () => (running ??= start()),
    goDown,
    runs: () => running?.version.name ?? null,
  }
  const alarm: SimulatedAlarm = createAlarm(object, universe)
  return object
}

/** The database of one instance. It fails when the instance goes down, and is sometimes full. */
function databaseOf(
  instance: { readonly isAlive: boolean },
  database: SimulatedObjectDatabase,
  alarm: SimulatedAlarm,
  isFull: (where: string) => boolean,
): SimulatedObjectDatabase {
  const whileAlive = (): void => {
    if (!instance.isAlive) throw new Error('The object went down.')
  }
  const checkDisk = (sql: string): void => {
    if (!/^\s*(?:select|with)\b/i.test(sql) && isFull(`${database.name}: ${sql.trim().slice(0, 20)}`))
      throw new Error('database or disk is full: SQLITE_FULL')
  }
  return {
    ...database,
    run(sql, parameters) {
      whileAlive()
      checkDisk(sql)
      return database.run(sql, parameters)
    },
    script(sql) {
      whileAlive()
      checkDisk(sql)
      database.script(sql)
    },
    transaction(work) {
      whileAlive()
      return alarm.within(() => database.transaction(work))
    },
  }
}
