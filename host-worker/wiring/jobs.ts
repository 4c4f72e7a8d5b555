import type { MessageBatch } from '@cloudflare/workers-types'
import { receiveFromResend } from '../../adapters/email-resend/receive.ts'
import { consumeBatch } from '../../adapters/queue-cloudflare/index.ts'
import { receiveFromQstash } from '../../adapters/queue-qstash/index.ts'
import { eachOf, CONNECTIONS_WIDTH } from '../../domain/limits/waiting.ts'
import { deliver, sweep, sweepFamilies } from '../../domain/jobs/deliver.ts'
import { takeReturnedEmail } from '../../domain/jobs/alert.ts'
import { eventResources } from '../../domain/resources/index.ts'
import type { JobWorld } from '../../domain/jobs/work.ts'
import { SHARED, type AllPlaces } from '../../domain/placement/find/at-place.ts'
import { forgetErasures, sweepRetention } from '../../domain/organizations/retention.ts'
import type { ImportDirectory } from '../../ports/import-sessions.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemDeadline, systemFetch, systemPorts } from '../system.ts'
import { openStorage } from './all-storage.ts'
import { secretsOf } from './opening.ts'
import { emailOf, smsOf } from './providers.ts'

/** The work that follows requests. Modules that few of its calls need are loaded on demand. No I/O. */
export function openFollowUp(env: Env): FollowUpWork {
  const all = openStorage(env)
  const { outbox, importDirectory, webhooks, tenant, people } = all.storage
  const { isLocal, mail } = env
  const resourceOf = (event: string) => eventResources.get(event)
  const ports = { webhooks, tenant, people }
  const hooks = { ...ports, resourceOf, secrets: () => secretsOf(env), fetch: systemFetch, isLocal }
  return createFollowUp({
    openJobs: () => ({ outbox, email: emailOf(env), sms: smsOf(env), mail, hooks, ...systemPorts }),
    places: all.places,
    imports: importDirectory,
    async sweepImports(imports) {
      const { sweepImportsOf } = await import('./operator-world.ts')
      await sweepImportsOf(env, imports)
    },
    async sweepMoves() {
      const [{ openMoves }, { sweepMoves }] = await Promise.all([
        import('./operator-world.ts'),
        import('../../domain/placement/operators/moves.ts'),
      ])
      await sweepMoves(openMoves(env, all))
    },
    async sweepBackups() {
      if (env.backups === null) return
      const { sweepBackupsOf } = await import('./backups.ts')
      await sweepBackupsOf(env)
    },
  })
}

/** Serves a delivery by QStash; null when the service does not use QStash. */
export async function serveQstash(request: Request, env: Env): Promise<Response | null> {
  const { queue } = env
  if (queue?.kind !== 'qstash') return null
  const followUp = openFollowUp(env)
  return receiveFromQstash(request, {
    keys: queue.keys,
    url: queue.callbackUrl,
    deadline: systemDeadline,
    log: consoleLog,
    deliver: (ref) => followUp.deliver(ref),
  })
}

/** Serves an event of Resend; null when the service is not told of events. */
export async function serveResendEvent(request: Request, env: Env): Promise<Response | null> {
  const { email } = env
  if (email?.kind !== 'resend' || email.webhookSecret === '') return null
  const world = { ...systemPorts, sends: openStorage(env).storage.sends }
  return receiveFromResend(request, {
    ...world,
    secret: email.webhookSecret,
    returned: (news) => takeReturnedEmail(news, world),
  })
}

/** The ports of the work that follows requests. */
interface FollowUpPorts {
  readonly openJobs: () => JobWorld
  readonly places: Pick<AllPlaces, 'directory' | 'storageAt'>
  /** The imports of all places together. */
  readonly imports: ImportDirectory
  /** Continues interrupted imports of one database, or of all. */
  readonly sweepImports: (imports: ImportDirectory) => Promise<void>
  readonly sweepMoves: () => Promise<void>
  /** Backs up the organizations whose time has come. */
  readonly sweepBackups: () => Promise<void>
}

/** What the platform calls besides requests. */
export interface FollowUpWork {
  /** Handles a batch of queue messages. */
  queue(batch: MessageBatch): Promise<void>
  /**
   * Processes due entries that no queue message reached, imports, unfinished work of families with databases of their
   * own, what is kept no longer, moves, and backups. A failure of one does not stop the others. Rejects with the first failure.
   */
  cron(): Promise<void>
  /**
   * Processes entries that a family's alarm hands over, a few at a time. They are not sent to the queue again, because
   * it had its chance and may have lost them. An entry that fails is handed over again, and does not stop the others.
   */
  workOff(refs: readonly OutboxRef[]): Promise<void>
  /**
   * Processes an entry. A rejection makes the queue deliver its message again. The queue does not report the error, so
   * it is logged.
   */
  deliver(ref: OutboxRef): Promise<void>
}

/** Connects the work that follows requests with its ports. No I/O. */
export function createFollowUp({
  openJobs,
  places,
  imports,
  sweepImports,
  sweepMoves,
  sweepBackups,
}: FollowUpPorts): FollowUpWork {
  const deliverWith = (jobs: JobWorld) => async (ref: OutboxRef) => {
    try {
      await deliver(ref, jobs)
    } catch (cause) {
      jobs.log.error('outbox_delivery_failed', { outboxId: ref.outboxId }, cause)
      throw cause
    }
  }
  return {
    queue: (batch) => consumeBatch(batch, deliverWith(openJobs()), CONNECTIONS_WIDTH),
    async cron() {
      const jobs = openJobs()
      const outcomes = await Promise.allSettled([
        sweep(jobs),
        sweepImports(imports),
        sweepFamilies({
          directory: places.directory,
          openWork(place) {
            const storage = places.storageAt(place, true)
            const retention = storage.retentionDirectory
            const work = async () => {
              await sweep(jobs, storage.outbox)
              await sweepImports(storage.importDirectory)
              await sweepRetention({ ...jobs, retention })
            }
            return { outbox: storage.outbox, imports: storage.importDirectory, retention, work }
          },
          clock: jobs.clock,
          log: jobs.log,
        }),
        sweepRetention({ ...jobs, retention: places.storageAt(SHARED, true).retentionDirectory }),
        forgetErasures(places.storageAt(SHARED, true).erasures, jobs.clock),
        sweepMoves(),
        sweepBackups(),
      ])
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
    async workOff(refs) {
      const deliverOne = deliverWith(openJobs())
      await eachOf(refs, CONNECTIONS_WIDTH, async (ref) => {
        await deliverOne(ref).catch(() => undefined)
      })
    },
    deliver: (ref) => deliverWith(openJobs())(ref),
  }
}
