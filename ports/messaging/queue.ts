import type { OutboxRef } from './outbox-store.ts'

/**
 * Notifies workers that outbox entries should be processed soon. A message only identifies an entry. It may be lost,
 * late, repeated or out of order: the outbox decides what remains to be done.
 */
export interface Queue {
  /**
   * Hands messages over. Rejects when that failed or its outcome is unknown; the sweep then finds the entries later.
   */
  send(refs: readonly OutboxRef[]): Promise<void>
}
