import type { FamilyObject } from '../../../../adapters/durable-object/protocol.ts'
import type { Statement } from '../../../../adapters/sqlite/index.ts'
import { nameOfBatch } from '../../engine/database.ts'
import { everlasting } from '../../engine/scheduler.ts'
import type { ObjectUniverse, StoredObject } from './stored-object.ts'
import type { Process } from '../processes/process.ts'
import { callLatencyMs } from '../storage-calls.ts'
import { toldCall } from '../told-changes.ts'

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>

const METHODS: readonly (keyof FamilyObject)[] = [
  ...(['batch', 'create', 'begin', 'finish', 'reopen', 'open', 'pause', 'resume', 'seal'] as const),
  ...(['close', 'empty', 'remove', 'size'] as const),
]

/** Calls of objects by processes: over a network, with faults. */
export function createObjectCalls(
  universe: ObjectUniverse,
): (object: StoredObject, process: Process) => FamilyObject {
  return (object, process) => {
    const methods = METHODS.map((method) => [method, callOf(method, object, process, universe)] as const)
    return Object.fromEntries(methods) as unknown as FamilyObject
  }
}

function callOf(
  method: keyof FamilyObject,
  object: StoredObject,
  process: Process,
  universe: ObjectUniverse,
): AnyMethod {
  const { scheduler, decide } = universe
  return (...sent) =>
    new Promise((resolve, reject) => {
      // A process that died makes no more calls.
      if (!process.isAlive) return
      const given = method === 'batch' ? batchInVersion(sent, process) : sent
      const name = method === 'batch' ? nameOfBatch(given[1] as readonly Statement[]) : method
      const where = `${object.name}: ${process.name}: ${name}`
      const arrive = async () => {
        if (object.broken === 'hangs') return
        const outcome = await perform({ method, given, where }, object, universe).then(
          (answer) => () => {
            resolve(answer)
          },
          (error: unknown) => () => {
            reject(error instanceof Error ? error : new Error(String(error)))
          },
        )
        scheduler.schedule(callLatencyMs(where, universe), outcome, process)
      }
      const isLostWithIt = decide.chance(`${process.name} takes a call with it`, 50)
      scheduler.schedule(callLatencyMs(where, universe), arrive, isLostWithIt ? process : everlasting)
    })
}

/** A batch with its statements as the version of the calling process writes them. */
function batchInVersion(sent: readonly unknown[], { version }: Process): readonly unknown[] {
  const [mode, statements, ...terms] = sent
  const inVersion = (statements as readonly Statement[]).map((statement) => ({
    ...statement,
    sql: version.statement(statement.sql),
  }))
  return [mode, inVersion, ...terms]
}

interface Call {
  readonly method: keyof FamilyObject
  readonly given: readonly unknown[]
  /** A short name of what the call does, with the caller and the object. */
  readonly where: string
}

/** Handles a call that arrives at the object. */
async function perform(
  { method, given, where }: Call,
  object: StoredObject,
  { faults, decide, trace, written }: ObjectUniverse,
): Promise<unknown> {
  const say = (remark: string, details?: () => string) => {
    trace.say(object.name, `${where.slice(object.name.length + 2)}: ${remark}`, details)
  }
  const goDown = (): Error => {
    object.goDown()
    return Object.assign(new Error('The object went down.'), { durableObjectReset: true })
  }
  if (object.broken === 'fails') throw new Error('The object is broken.')
  if (faults.strikes('storageRefused', where)) {
    say('refused')
    const mark = decide.pick(`refusal of ${where}`, ['unmarked', 'retryable', 'overloaded'])
    throw Object.assign(new Error('The object was not reached.'), { [mark]: true })
  }
  const isDown = faults.strikes('objectReset', where)
  if (isDown && decide.chance(`goes down before ${where}`, 50)) {
    say('goes down before it')
    throw goDown()
  }
  const instance = object.instance()
  const answer = await (instance.family[method] as AnyMethod)(...given)
  if (!instance.isAlive) throw goDown()
  const isLost = faults.strikes('storageLost', where)
  const remark = `${wordFor(answer)}${isDown ? ', and goes down' : ''}${isLost ? ', and the answer is lost' : ''}`
  const statements = method === 'batch' ? (given[1] as readonly Statement[]) : []
  written((changes) => {
    say(remark, () => toldCall(statements, changes))
  })
  if (isDown) throw goDown()
  if (isLost) throw new Error('Network connection lost.')
  return answer
}

function wordFor(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return String(answer)
  if ('failed' in answer) return `failed: ${String(answer.failed)}`
  const [word = ''] = Object.keys(answer)
  return word === 'results' ? 'done' : word
}
