import type { MessageBatch, Queue as QueueBinding } from '@cloudflare/workers-types'
import { readMessage } from '../../domain/jobs/message.ts'
import { eachOf } from '../../domain/limits/waiting.ts'
import type { OutboxRef, Queue } from '../../ports/outbox.ts'

/** The maximum number of messages in one `sendBatch` (Cloudflare Queues, limits). */
const BATCH_MAX = 100

/** Delay before a message is delivered again when storage failed, in seconds. */
const RETRY_DELAY_S = 30

/** A queue on Cloudflare Queues. The local simulator loses messages in a crash; the platform does not. */
export function createCloudflareQueue(binding: QueueBinding<OutboxRef>): Queue {
  return {
    async send(refs) {
      for (let start = 0; start < refs.length; start += BATCH_MAX) {
        const batch = refs.slice(start, start + BATCH_MAX)
        await binding.sendBatch(
          batch.map(({ organizationId, outboxId }) => ({ body: { organizationId, outboxId } })),
        )
      }
    },
  }
}

/**
 * Handles a batch of messages. A message is finished when its entry was processed, whatever the outcome, because the
 * outbox knows what remains to be done. Only a message whose entry could not be read is delivered again. A malformed
 * message is dropped.
 * @param deliver rejects when the entry could not be read
 * @param width deliveries at once
 */
export async function consumeBatch(
  { messages }: MessageBatch,
  deliver: (ref: OutboxRef) => Promise<unknown>,
  width: number,
): Promise<void> {
  await eachOf(messages, width, async (message) => {
    const ref = readMessage(message.body)
    try {
      if (ref !== null) await deliver(ref)
      message.ack()
    } catch {
      message.retry({ delaySeconds: RETRY_DELAY_S })
    }
  })
}
