import type { OutboxRef } from './outbox-store.ts'

/** How a queue behaves, beyond what every implementation may do. */
export interface QueueCapabilities {
  /** Most messages that one call hands over in a single request. */
  readonly batchMax: number
  /** Whether messages survive a crash of the queue itself. Where not, the sweep is what finds their entries. */
  readonly durable: boolean
}

/**
 * Says that outbox entries are worth looking at soon. A message carries nothing but the entry's name. It may be lost,
 * delivered late, in any order and more than once: the outbox decides what is owed.
 */
export interface Queue {
  readonly capabilities: QueueCapabilities
  /** Hands messages over. Rejects when that failed or is uncertain; the entries are swept up later then. */
  send(refs: readonly OutboxRef[]): Promise<void>
}
