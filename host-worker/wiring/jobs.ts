import { receiveFromQstash } from '../../adapters/queue-qstash/index.ts'
import type { JobWorld } from '../../domain/jobs/work.ts'
import type { Env } from '../env/index.ts'
import { consoleLog, systemDeadline, systemPorts } from '../system.ts'
import { openAllPlaces, openStorage } from './all-storage.ts'
import { createFollowUp, type FollowUpWork } from './follow-up.ts'
import { emailOf, smsOf } from './providers.ts'

/** The work that follows requests. Modules that few of its calls need are loaded on demand. No I/O. */
export function openFollowUp(env: Env): FollowUpWork {
  const storage = openStorage(env)
  return createFollowUp({
    openJobs: () => openJobWorld(env),
    places: openAllPlaces(env),
    imports: storage.importDirectory,
    async sweepImports(imports) {
      const { sweepImportsOf } = await import('./operator-world.ts')
      await sweepImportsOf(env, imports)
    },
    async sweepMoves() {
      const [{ openMoves }, { sweepMoves }] = await Promise.all([
        import('./moves.ts'),
        import('../../domain/placement/operators/moves.ts'),
      ])
      await sweepMoves(openMoves(env))
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

/** The ports for follow-up work. */
function openJobWorld(env: Env): JobWorld {
  return {
    outbox: openStorage(env).outbox,
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    ...systemPorts,
  }
}
