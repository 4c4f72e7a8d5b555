import { createHash } from 'node:crypto'
import type { Secrets } from '../../../../domain/access/secrets.ts'
import { sweepImports } from '../../../../domain/imports/write.ts'
import { createMoves, sweepMoves } from '../../../../domain/placement/operators/moves.ts'
import { createPlacedStorage, type PlacedStorage } from '../../../../domain/placement/placed-storage.ts'
import { createWorld } from '../../../../host-worker/http/world.ts'
import { createFollowUp } from '../../../../host-worker/wiring/jobs.ts'
import type { EmailSender, SmsSender } from '../../../../ports/messaging.ts'
import type { Log, RandomSource } from '../../../../ports/platform.ts'
import { clockOf } from '../clock.ts'
import type { FamilyObjects } from '../objects/family-objects.ts'
import { openMoving, openPlaces } from '../places.ts'
import type { Process } from './process.ts'
import type { SimulatedProvider } from '../providers.ts'
import type { SimulatedQueue } from '../queue.ts'
import type { Receivers } from '../receivers.ts'
import type { StorageCalls } from '../storage-calls.ts'
import type { MutantProcess, Universe } from '../universe.ts'

/** The services that a process reaches over the network. */
export interface Outside {
  readonly storage: StorageCalls
  readonly objects: FamilyObjects
  readonly email: SimulatedProvider<EmailSender>
  readonly sms: SimulatedProvider<SmsSender>
  readonly queue: SimulatedQueue
  readonly receivers: Receivers
}

/** The ports of one process, as `host-worker/wiring` puts them together. */
export function openPorts(process: Process, universe: Universe, outside: Outside) {
  const { scheduler, faults, trace, mutant } = universe
  const clock = clockOf(process.name, process, universe)
  const random = randomOf(process)
  const secrets: Secrets = universe.secrets()
  const log: Log = {
    info: () => undefined,
    error: (event) => {
      universe.logged.add(event)
      trace.say(process.name, `logs ${event}`)
    },
  }
  const run = (work: Promise<unknown>): void => {
    work.catch(() => {
      trace.say(process.name, 'logs background_failed')
    })
  }
  const executor = outside.storage.executorOf(process)
  const deadline = scheduler.deadlineOf(process)
  const namespace = outside.objects.namespaceOf(process)
  const background = { run }
  const opened = openPlaces({ executor, namespace, clock, deadline, background })
  const places = {
    ...opened,
    directory: mutant?.directory?.(opened.directory) ?? opened.directory,
  }
  const queue = faults.hasQueue ? outside.queue.queueOf(process) : null
  const planted: MutantProcess = { executor, places, run, memory: new Map() }
  const honest = createPlacedStorage(places, log)
  const storage: PlacedStorage = mutant?.storage?.(honest, planted) ?? honest
  const email = outside.email.senderOf(process)
  const sms = outside.sms.senderOf(process)
  const moving = openMoving({
    ...{ executor, namespace, places, storage, random, mutant, process, log },
    aims: universe.aims,
  })
  const { overview, restorePlaces, deletionPlaces } = storage
  const world = createWorld({
    ...{ storage, secrets, clock, deadline, random, log, background, queue },
    email: mutant?.email?.(email) ?? email,
    sms: mutant?.sms?.(sms) ?? sms,
    mail: { domain: 'mail.example.com', brand: 'Platform' },
    fetch: outside.receivers.fetchOf(process),
    places: { overview, restorePlaces, deletionPlaces, moves: createMoves({ ...moving, background }) },
  })
  const followUp = createFollowUp({
    openJobs: () => world,
    places,
    imports: storage.importDirectory,
    sweepImports: (imports) =>
      sweepImports({
        imports,
        openImports: async (organizationId) => {
          const organization = await storage.administration.findOrganization(organizationId)
          return organization === null ? null : world.imports(organization)
        },
        clock,
        log,
      }),
    sweepMoves: () => sweepMoves(moving),
    sweepBackups: async () => undefined,
  })
  return { world, followUp, run }
}

/**
 * Random bytes of a process. Their values do not matter, so they are not a decision. They are hashes, because generators
 * with a small state, one for each process, give two processes the same ids now and then.
 */
function randomOf({ name }: Process): RandomSource {
  let drawn = 0
  let left = Buffer.alloc(0)
  return {
    bytes(length) {
      while (left.length < length)
        left = Buffer.concat([
          left,
          createHash('sha256')
            .update(`${name} ${(drawn += 1)}`)
            .digest(),
        ])
      const bytes = Uint8Array.from(left.subarray(0, length))
      left = left.subarray(length)
      return bytes
    },
  }
}
