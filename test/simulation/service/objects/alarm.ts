import type { Alarm } from '../../../../adapters/durable-object/object/family.ts'
import type { StoredObject, ObjectUniverse } from './stored-object.ts'

/** The alarm of an object, on the platform's side. */
export interface SimulatedAlarm extends Alarm {
  /** When it rings; null: it is not set. */
  atMs(): number | null
  /** A transaction of the object: when it fails, the alarm is as before. */
  within<Result>(transaction: () => Result): Result
}

const LATE_MAX_MS = 60_000
/** How often an alarm may ring within a second. */
const RINGS_MAX = 20
/** After how long the platform repeats an alarm that failed, in ms. */
const RING_AGAIN_MS = 2_000

export function createAlarm(object: StoredObject, universe: ObjectUniverse): SimulatedAlarm {
  const { scheduler, faults, decide, trace, violated } = universe
  const { name } = object
  let setAtMs: number | null = null
  const set = (atMs: number): void => {
    setAtMs = atMs
    if (faults.strikes('alarmLost', name)) {
      trace.say(name, 'has an alarm that will never ring')
      universe.happened('an alarm is lost')
      return
    }
    const lateMs = faults.strikes('alarmLate', name)
      ? decide.delayMs(`alarm of ${name} is late`, LATE_MAX_MS)
      : 0
    scheduler.schedule(atMs - scheduler.nowMs() + lateMs, () => {
      ring(atMs)
    })
  }
  let second = 0
  let rings = 0
  const countRing = (): void => {
    const now = Math.floor(scheduler.nowMs() / 1000)
    rings = now === second ? rings + 1 : 1
    second = now
    if (rings > RINGS_MAX)
      violated('an alarm rings when there is work', `${name}: ${rings} times in a second`)
  }
  const ring = (atMs: number): void => {
    if (setAtMs !== atMs || object.broken !== null) return
    setAtMs = null
    countRing()
    if (faults.strikes('objectReset', `${name} when it rings`)) {
      trace.say(name, 'goes down when its alarm rings')
      object.goDown()
      set(scheduler.nowMs() + RING_AGAIN_MS)
      return
    }
    trace.say(name, 'hears its alarm')
    // The event does not wait for this, because the hand-over takes further events.
    object
      .instance()
      .family.ring()
      .catch(() => {
        trace.say(name, 'could not set its next alarm')
        set(scheduler.nowMs() + RING_AGAIN_MS)
      })
  }
  return {
    set,
    clear: () => {
      setAtMs = null
    },
    atMs: () => setAtMs,
    within(transaction) {
      const before = setAtMs
      try {
        return transaction()
      } catch (error) {
        setAtMs = before
        throw error
      }
    },
  }
}
