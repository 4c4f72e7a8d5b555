import type { OutboxRef } from './outbox-store.ts'

/**
 * Says that outbox entries should be looked at soon. A message carries only an entry's name. It may be lost, late,
 * repeated or out of order: the outbox decides what remains to be done.
 */
export interface Queue {
  /** Hands messages over. Rejects when that failed or is uncertain; the sweep finds the entries later. */
  send(refs: readonly OutboxRef[]): Promise<void>
}
