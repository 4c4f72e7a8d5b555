import type { Clock } from '../../../ports/platform/clock.ts'
import type { Deadline } from '../../../ports/platform/deadline.ts'
import type { Log } from '../../../ports/platform/log.ts'
import type { SendRecord, TenantSendLog } from '../../../ports/messaging/send-log.ts'
import { pause, within } from '../../bounds/within.ts'

/**
 * The minimum time between two writes while sends are going on, in ms. A crash loses the records of about this long.
 * The number of writes depends on the duration of a request and not on the number of its recipients.
 */
const INTERVAL_MS = 2_000
/** The maximum duration of one write, in ms. */
const WRITE_TIMEOUT_MS = 10_000
/** The pause before the last write is repeated, in ms. */
const REPEAT_PAUSE_MS = 1_000

interface RecorderWorld {
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/** Records the sends of one request while they happen. */
export interface Recorder {
  /** Takes the record of a send. It is written soon: in the background, together with others. */
  add(record: SendRecord): void
  /**
   * Writes the remaining records. Never rejects: a failure is only logged, because the caller must learn what was sent.
   */
  finish(): Promise<void>
}

/**
 * Opens a recorder on a log of sends. Records of a failed write are written again, which is safe because writing one
 * twice changes nothing.
 */
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
