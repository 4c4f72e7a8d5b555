import type { OutboxRef, Queue } from '../../../ports/outbox.ts'
import type { Process } from './processes/process.ts'
import type { Universe } from './universe.ts'

/** A queue of messages that outlives every process. */
export interface SimulatedQueue {
  queueOf(process: Process): Queue
}

/** Passes a message to a process; `retry`: it must be delivered again. */
export type Consume = (ref: OutboxRef) => Promise<'done' | 'retry'>

const LATENCY_MAX_MS = 10
const DELAY_MAX_MS = 2_000
const LATE_MAX_MS = 600_000
const RETRY_MS = 30_000
const DELIVERIES_MAX = 4

export function createQueue(universe: Universe, consume: Consume): SimulatedQueue {
  const { decide, faults, scheduler, trace } = universe

  const deliverLater = (ref: OutboxRef, delivery: number, afterMs: number): void => {
    scheduler.schedule(afterMs, () => {
      if (faults.neverMended === 'queue' && faults.isMended()) return
      trace.say('queue', `delivers ${ref.outboxId}${delivery > 1 ? ` for the ${delivery}. time` : ''}`)
      void consume(ref).then((outcome) => {
        if (outcome === 'retry' && delivery < DELIVERIES_MAX) deliverLater(ref, delivery + 1, RETRY_MS)
      })
    })
  }
  const take = (ref: OutboxRef): void => {
    if (faults.strikes('queueLost', 'a message')) {
      trace.say('queue', `loses ${ref.outboxId}`)
      return
    }
    const delayMs = () => {
      const isLate = faults.strikes('queueLate', 'a message')
      return decide.delayMs('delay of a message', isLate ? LATE_MAX_MS : DELAY_MAX_MS)
    }
    deliverLater(ref, 1, delayMs())
    if (faults.strikes('queueDoubled', 'a message')) deliverLater(ref, 1, delayMs())
  }
  return {
    queueOf: (process) => ({
      send: (refs) =>
        new Promise((resolve, reject) => {
          const latencyMs = () =>
            1 + decide.delayMs(`latency of the queue to ${process.name}`, LATENCY_MAX_MS)
          scheduler.schedule(latencyMs(), () => {
            const isRefused = faults.strikes('queueRefused', process.name)
            if (!isRefused) refs.forEach(take)
            scheduler.schedule(
              latencyMs(),
              () => {
                if (isRefused) reject(new Error('The queue did not answer.'))
                else resolve()
              },
              process,
            )
          })
        }),
    }),
  }
}
