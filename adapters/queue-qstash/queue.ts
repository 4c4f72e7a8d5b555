import type { Deadline } from '../../ports/platform.ts'
import type { Queue } from '../../ports/outbox.ts'

/** Where QStash's API answers. */
export const QSTASH_URL = 'https://qstash.upstash.io'

const BATCH_MAX = 100
const TIMEOUT_MS = 10_000

/** Few retries are enough: the sweep finds the entry within minutes. */
const RETRIES = '3'

export interface QstashQueueOptions {
  readonly token: string
  readonly baseUrl: string
  /** Where QStash delivers: this service's endpoint for it. */
  readonly callbackUrl: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly deadline: Deadline
}

/** A queue on QStash: it posts each message to the service. */
export function createQstashQueue(options: QstashQueueOptions): Queue {
  return {
    async send(refs) {
      for (let start = 0; start < refs.length; start += BATCH_MAX) {
        const messages = refs.slice(start, start + BATCH_MAX).map(({ organizationId, outboxId }) => ({
          destination: options.callbackUrl,
          headers: {
            'Content-Type': 'application/json',
            'Upstash-Retries': RETRIES,
            // QStash removes duplicates for ten minutes only. Correctness does not depend on it: the outbox lets only
            // one worker claim an entry.
            'Upstash-Deduplication-Id': outboxId,
          },
          body: JSON.stringify({ organizationId, outboxId }),
        }))
        await publish(messages, options)
      }
    },
  }
}

async function publish(
  messages: readonly unknown[],
  { token, baseUrl, fetch, deadline }: QstashQueueOptions,
) {
  const response = await fetch(`${baseUrl}/v2/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(messages),
    // Following a redirect would send the token to another host.
    redirect: 'manual',
    signal: deadline.after(TIMEOUT_MS),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`QStash answered with status ${response.status}`)
}
