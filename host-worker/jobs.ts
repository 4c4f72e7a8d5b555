import type { MessageBatch } from '@cloudflare/workers-types'
import { createMeter } from '../adapters/d1/index.ts'
import { consumeBatch } from '../adapters/queue-cloudflare/index.ts'
import { receiveFromQstash } from '../adapters/queue-qstash/index.ts'
import { deliver } from '../domain/jobs/deliver.ts'
import { DELIVERY_WIDTH, sweep } from '../domain/jobs/sweep.ts'
import type { Env } from './env.ts'
import { openJobWorld } from './job-world.ts'
import { systemDeadline } from './system.ts'

/** Works off a batch of queue messages. */
export async function serveQueue(batch: MessageBatch, env: Env): Promise<void> {
  const world = openJobWorld(env, createMeter())
  await consumeBatch(batch, (ref) => deliver(ref, world), DELIVERY_WIDTH)
}

/** Works off what no queue message has led to. */
export async function serveCron(env: Env): Promise<void> {
  await sweep(openJobWorld(env, createMeter()))
}

/** Answers a delivery by QStash; null when the service does not work with it. */
export async function serveQstash(request: Request, env: Env): Promise<Response | null> {
  const { queue } = env
  if (queue?.kind !== 'qstash') return null
  const world = openJobWorld(env, createMeter())
  return receiveFromQstash(request, {
    keys: queue.keys,
    url: queue.callbackUrl,
    deadline: systemDeadline,
    deliver: (ref) => deliver(ref, world),
  })
}
