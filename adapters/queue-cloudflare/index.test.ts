import type { MessageBatch, Queue as QueueBinding } from '@cloudflare/workers-types'
import { expect, test } from 'vitest'
import type { OutboxRef } from '../../ports/outbox.ts'
import { consumeBatch, createCloudflareQueue } from './index.ts'

const ref = (outboxId: string): OutboxRef => ({ organizationId: 'acme', outboxId })

test('hands messages over a hundred at a time, with nothing in them but the name of the entry', async () => {
  const batches: unknown[][] = []
  const binding = { sendBatch: async (batch: unknown[]) => void batches.push(batch) }
  const queue = createCloudflareQueue(binding as unknown as QueueBinding<OutboxRef>)
  await queue.send(Array.from({ length: 101 }, (_, index) => ({ ...ref(`o-${index}`), extra: 'x' })))
  expect(batches.map(({ length }) => length)).toEqual([100, 1])
  expect(batches[1]).toEqual([{ body: ref('o-100') }])
})

test('a message is done with once its entry was looked at; only a failed look brings it back', async () => {
  const seen: string[] = []
  const message = (id: string, body: unknown) => ({
    body,
    ack: () => seen.push(`ack ${id}`),
    retry: () => seen.push(`retry ${id}`),
  })
  const messages = [
    message('good', ref('a')),
    message('broken', ref('b')),
    message('foreign', { x: 1 }),
    message('null', null),
  ]
  const deliver = async ({ outboxId }: OutboxRef) => {
    if (outboxId === 'b') throw new Error('storage')
  }
  await consumeBatch({ messages } as unknown as MessageBatch, deliver, 2)
  expect(seen.sort()).toEqual(['ack foreign', 'ack good', 'ack null', 'retry broken'])
})
