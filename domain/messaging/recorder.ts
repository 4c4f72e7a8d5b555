import type { Clock } from '../../ports/clock.ts'
import type { Deadline } from '../../ports/deadline.ts'
import type { Log } from '../../ports/log.ts'
import type { SendRecord, TenantSendLog } from '../../ports/send-log.ts'
import { pause, within } from '../bounds/within.ts'

/**
 * Least time between two writes while sends go on, in ms. A crash loses the records of about this long, and a request
 * writes no more often than its duration divided by it, whatever the number of its recipients.
 */
const INTERVAL_MS = 2_000
/** Longest wait for one write, in ms. */
const WRITE_TIMEOUT_MS = 10_000
/** The pause before the last write is repeated, in ms. */
const REPEAT_PAUSE_MS = 1_000

interface RecorderWorld {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/** Writes down the sends of one request while they happen. */
export interface Recorder {
  /** Takes what became of a send. It is written soon: in the background, together with others. */
  add(record: SendRecord): void
  /** Writes what is left. Never rejects: a failure is logged, because what was sent must be answered all the same. */
  finish(): Promise<void>
}

/** Opens a recorder on a log of sends. Sends are written again when a write failed: that changes nothing written. */
export function createRecorder(log: TenantSendLog, world: RecorderWorld): Recorder {
  let waiting: SendRecord[] = []
  let writing: Promise<boolean> = Promise.resolve(true)
  let isWriting = false
  let nextMs = world.clock.nowMs() + INTERVAL_MS

  async function write(): Promise<boolean> {
    const batch = waiting
    if (batch.length === 0) return true
    waiting = []
    isWriting = true
    try {
      await within(world.deadline, WRITE_TIMEOUT_MS, log.record(batch))
      return true
    } catch (cause) {
      waiting = [...batch, ...waiting]
      world.log.error('sends_not_recorded_yet', { sends: batch.length }, cause)
      return false
    } finally {
      isWriting = false
      nextMs = world.clock.nowMs() + INTERVAL_MS
    }
  }

  return {
    add(record) {
      waiting.push(record)
      if (!isWriting && world.clock.nowMs() >= nextMs) writing = write()
    },
    async finish() {
      await writing
      if (await write()) return
      await pause(world.deadline, REPEAT_PAUSE_MS)
      if (!(await write())) world.log.error('sends_not_recorded', { sends: waiting.length })
    },
  }
}
