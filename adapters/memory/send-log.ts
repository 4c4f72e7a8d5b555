import type { SendLog, SendRecord } from '../../ports/send-log.ts'
import type { MemoryState } from './state.ts'
import { compareBytes } from '../../domain/text/text-order.ts'

/** Stands for the operator among the organizations. */
const OPERATOR = ''

/** Keeps sends. One that was accepted stays so. */
export function recordSends(state: MemoryState, owner: string | null, sends: readonly SendRecord[]): void {
  const log = state.sends.get(owner ?? OPERATOR) ?? new Map<string, SendRecord>()
  state.sends.set(owner ?? OPERATOR, log)
  for (const send of sends) {
    if (log.get(send.sendId)?.outcome !== 'accepted') log.set(send.sendId, { ...send })
  }
}

/** The log of sends. */
export function createMemorySendLog(state: MemoryState): SendLog {
  return {
    open: (owner) => ({
      async record(sends) {
        if (sends.length === 0) return
        state.meter.calls += 1
        recordSends(state, owner, sends)
      },
      async list(after, limit) {
        state.meter.calls += 1
        return [...(state.sends.get(owner ?? OPERATOR)?.values() ?? [])]
          .sort(newestFirst)
          .filter((send) => after === null || newestFirst(send, after) > 0)
          .slice(0, limit)
      },
    }),
  }
}

type Placed = Pick<SendRecord, 'at' | 'sendId'>

function newestFirst(left: Placed, right: Placed): number {
  return compareBytes(right.at, left.at) || compareBytes(right.sendId, left.sendId)
}
