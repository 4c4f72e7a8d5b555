import type { MessageBatch } from '@cloudflare/workers-types'
import { consumeBatch } from '../../adapters/queue-cloudflare/index.ts'
import { receiveFromQstash } from '../../adapters/queue-qstash/index.ts'
import { deliver } from '../../domain/jobs/deliver.ts'
import { CONNECTIONS_WIDTH } from '../../domain/bounds/connections.ts'
import { eachOf } from '../../domain/bounds/within.ts'
import { sweep } from '../../domain/jobs/sweep.ts'
import type { FamilySweepWorld } from '../../domain/jobs/sweep-families.ts'
import { sweepFamilies } from '../../domain/jobs/sweep-families.ts'
import type { JobWorld } from '../../domain/jobs/world.ts'
import type { ImportDirectory } from '../../ports/records/import-sessions.ts'
import type { OutboxRef } from '../../ports/messaging/outbox-store.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemClock, systemDeadline, systemRandom } from '../system.ts'
import { emailOf, smsOf } from './providers.ts'
import { openPlaces, openStorage } from './all-storage.ts'

/** Handles a batch of queue messages. */
export async function serveQueue(batch: MessageBatch, env: Env): Promise<void> {
  const world = openJobWorld(env)
  await consumeBatch(batch, (ref) => deliverOrLog(ref, world), CONNECTIONS_WIDTH)
}

/**
 * Processes due entries that no queue message reached, imports, unfinished work of families with databases of their
 * own, moves, and backups. A failure of one does not stop the others.
 */
export async function serveCron(env: Env): Promise<void> {
  const outcomes = await Promise.allSettled([
    sweep(openJobWorld(env)),
    sweepImports(env, openStorage(env).importDirectory),
    sweepFamilies(openFamilySweep(env)),
    sweepMovesOf(env),
    backUp(env),
  ])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** The module is loaded on demand, because requests do not need it. */
async function sweepImports(env: Env, imports: ImportDirectory): Promise<void> {
  const { sweepImportsOf } = await import('./import-sweep.ts')
  await sweepImportsOf(env, openStorage(env), imports)
}

/** The module is loaded on demand, because few sweeps find a move. */
async function sweepMovesOf(env: Env): Promise<void> {
  const [{ openMoves }, { sweepMoves }] = await Promise.all([
    import('./moves.ts'),
    import('../../domain/placement/moves.ts'),
  ])
  await sweepMoves(openMoves(env))
}

/** The module is loaded on demand, because only sweeps of some hours need it. */
async function backUp(env: Env): Promise<void> {
  if (env.backups === null) return
  const { sweepBackupsOf } = await import('./backups.ts')
  await sweepBackupsOf(env)
}

/** The ports for checking on families with databases of their own. */
function openFamilySweep(env: Env): FamilySweepWorld {
  const { directory, storageAt } = openPlaces(env)
  return {
    directory,
    openWork: (place) => {
      const { outbox, importDirectory: imports } = storageAt(place, true)
      const work = async () => {
        await sweep(openJobWorld(env), outbox)
        await sweepImports(env, imports)
      }
      return { outbox, imports, work }
    },
    clock: systemClock,
    log: consoleLog,
  }
}

/**
 * Processes entries that a family's alarm hands over, a few at a time. They are not sent to the queue again, because it
 * had its chance and may have lost them. An entry that fails is handed over again, and does not stop the others.
 */
export async function workOff(refs: readonly OutboxRef[], env: Env): Promise<void> {
  const world = openJobWorld(env)
  await eachOf(refs, CONNECTIONS_WIDTH, async (ref) => {
    await deliverOrLog(ref, world).catch(() => undefined)
  })
}

/** Serves a delivery by QStash; null when the service does not use QStash. */
export async function serveQstash(request: Request, env: Env): Promise<Response | null> {
  const { queue } = env
  if (queue?.kind !== 'qstash') return null
  const world = openJobWorld(env)
  return receiveFromQstash(request, {
    keys: queue.keys,
    url: queue.callbackUrl,
    deadline: systemDeadline,
    log: consoleLog,
    deliver: (ref) => deliverOrLog(ref, world),
  })
}

/** The ports for follow-up work. */
function openJobWorld(env: Env): JobWorld {
  return {
    outbox: openStorage(env).outbox,
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    clock: systemClock,
    deadline: systemDeadline,
    random: systemRandom,
    log: consoleLog,
  }
}

/**
 * Processes an entry. A rejection makes the queue deliver its message again. The queue does not report the error, so it
 * is logged here.
 */
async function deliverOrLog(ref: OutboxRef, world: JobWorld): Promise<void> {
  try {
    await deliver(ref, world)
  } catch (cause) {
    world.log.error('outbox_delivery_failed', { outboxId: ref.outboxId }, cause)
    throw cause
  }
}
