import type { MessageBatch } from '@cloudflare/workers-types'
import { consumeBatch } from '../../../adapters/queue-cloudflare/index.ts'
import { createFamilyDatabases, createObjectStorage } from '../../../adapters/durable-object/index.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import { createPlaceDirectory, createStorage } from '../../../adapters/sqlite/index.ts'
import type { AllPlaces } from '../../../domain/placement/at-place.ts'
import { createPlaceMemory } from '../../../domain/placement/place-memory.ts'
import type { PlacedStorage } from '../../../domain/placement/placed-storage.ts'
import { createPlacedStorage } from '../../../domain/placement/placed-storage.ts'
import type { FamilyNamespace } from '../../../adapters/durable-object/index.ts'
import type { Deadline } from '../../../ports/deadline.ts'
import { createRateLimiter } from '../../../domain/access/rate-limiter.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import { publicApi } from '../../../domain/api.ts'
import { createFormCache } from '../../../domain/forms/submit/cache.ts'
import { sweepImports } from '../../../domain/imports/sweep-imports.ts'
import { sweepFamilies } from '../../../domain/jobs/sweep-families.ts'
import { deliver } from '../../../domain/jobs/deliver.ts'
import { eachOf } from '../../../domain/bounds/within.ts'
import { DELIVERY_WIDTH, sweep } from '../../../domain/jobs/sweep.ts'
import { operatorApi } from '../../../domain/operator-api.ts'
import { createDraw } from '../../../host-worker/dev/demo/draw.ts'
import { createFetchHandler } from '../../../host-worker/http/fetch-handler.ts'
import { noMoves } from '../../../domain/placement/one-place.ts'
import { importTools, openImportWorld } from '../../../host-worker/wiring/imports.ts'
import type { OwnPlace } from '../../../ports/placement.ts'
import type { Background } from '../../../ports/background.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { EmailSender } from '../../../ports/email-sender.ts'
import type { Organization } from '../../../ports/organization.ts'
import type { OutboxRef } from '../../../ports/outbox-store.ts'
import type { RandomSource } from '../../../ports/random-source.ts'
import type { SmsSender } from '../../../ports/sms-sender.ts'
import { createProcess } from './process.ts'
import type { FamilyObjects } from './family-objects.ts'
import type { Process } from './process.ts'
import type { SimulatedProvider } from './providers.ts'
import type { SimulatedQueue } from './queue.ts'
import type { StorageCalls } from './storage-calls.ts'
import type { Universe } from './universe.ts'

/** What a process reaches over the network. */
export interface Outside {
  readonly storage: StorageCalls
  readonly objects: FamilyObjects
  readonly email: SimulatedProvider<EmailSender>
  readonly sms: SimulatedProvider<SmsSender>
  readonly queue: SimulatedQueue
}

/** An isolate of the Worker: the service as the platform calls it, with memory of its own. */
export interface Isolate extends Process {
  fetch(request: Request): Promise<Response>
  /** Handles one message of the queue. */
  consume(ref: OutboxRef): Promise<'done' | 'retry'>
  cron(): Promise<void>
  /** Takes entries that an object hands over, and works them off afterwards, as `host-worker/wiring/jobs.ts` does. */
  workOff(refs: readonly OutboxRef[]): void
}

/** They keep nothing from one request to the next. */
const servePublic = createFetchHandler(publicApi)
const serveOperator = createFetchHandler(operatorApi)

export function startIsolate(name: string, universe: Universe, outside: Outside): Isolate {
  const process = createProcess(name)
  const ports = openPorts(process, universe, outside)
  const { world, jobs, operators, importSweep, places, storage } = ports
  let requests = 0
  const openWork = (place: OwnPlace) => {
    const { outbox, importDirectory } = places.storageAt(place)
    const work = async () => {
      await sweep(jobs, outbox)
      await sweepImports({ ...importSweep, imports: importDirectory })
    }
    return { outbox, imports: importDirectory, work }
  }
  return {
    name,
    get isAlive() {
      return process.isAlive
    },
    whenDead: (listener) => process.whenDead(listener),
    die: () => {
      process.die()
    },
    fetch(request) {
      const host = { requestId: `${name}-${String(++requests)}`, answered: () => undefined }
      return new URL(request.url).pathname.startsWith('/operator/')
        ? serveOperator(request, { ...host, world: operators })
        : servePublic(request, { ...host, world })
    },
    async consume(ref) {
      let outcome: 'done' | 'retry' = 'done'
      const message = { body: ref, ack: () => undefined, retry: () => void (outcome = 'retry') }
      const batch = { messages: [message] } as unknown as MessageBatch
      await consumeBatch(batch, (of) => deliver(of, jobs), DELIVERY_WIDTH)
      return outcome
    },
    workOff(refs) {
      const each = async (ref: OutboxRef) => {
        await deliver(ref, jobs).catch(() => undefined)
      }
      world.background.run(eachOf(refs, DELIVERY_WIDTH, each))
    },
    async cron() {
      await Promise.allSettled([
        sweep(jobs),
        sweepImports({ ...importSweep, imports: storage.importDirectory }),
        sweepFamilies({ ...importSweep, directory: places.directory, openWork }),
      ])
    },
  }
}

/** What places are made of. */
export interface PlaceParts {
  /** Of the shared database. */
  readonly executor: Executor
  readonly namespace: FamilyNamespace
  readonly clock: Clock
  readonly deadline: Deadline
  readonly background: Background
}

/** All places, as `host-worker/wiring/storage.ts` opens them. */
export function openPlaces({ executor, namespace, clock, deadline, background }: PlaceParts): AllPlaces {
  const shared = createStorage({ executor, clock, isShared: true })
  const directory = createPlaceDirectory(executor, clock)
  return {
    directory,
    memory: createPlaceMemory(),
    storageAt: (place) =>
      place.kind === 'shared' ? shared : createObjectStorage({ namespace, place, clock }),
    noteWork: (familyId, at) => {
      background.run(directory.noteWork(familyId, at))
    },
    databases: createFamilyDatabases({ namespace, clock }),
    clock,
    deadline,
  }
}

/** The ports of one process, as `host-worker/wiring` puts them together. */
function openPorts(process: Process, universe: Universe, outside: Outside) {
  const { scheduler, faults, trace, mutant } = universe
  const clock = clockOf(process, universe)
  const random = randomOf(universe)
  const secrets: Secrets = universe.secrets()
  const log: Log = {
    info: () => undefined,
    error: (event) => {
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
  const places = openPlaces({ executor, namespace, clock, deadline, background: { run } })
  const honest = createPlacedStorage(places, log)
  const storage: PlacedStorage = mutant?.storage?.(honest, { executor, run, memory: new Map() }) ?? honest
  const email = outside.email.senderOf(process)
  const sms = outside.sms.senderOf(process)
  const jobs = {
    outbox: storage.outbox,
    email: mutant?.email?.(email) ?? email,
    sms: mutant?.sms?.(sms) ?? sms,
    mail: { domain: 'mail.example.com', brand: 'Platform' },
    clock,
    deadline,
    random,
    log,
  }
  const world = {
    ...jobs,
    storage: storage.keyed,
    keys: storage.administration,
    forms: storage.forms,
    sources: { links: null, pos: () => null },
    analytics: storage.analytics,
    exitSurvey: storage.exitSurvey,
    formCache: createFormCache(),
    rateLimiter: createRateLimiter(clock),
    secrets,
    background: { run },
    queue: faults.hasQueue ? outside.queue.queueOf(process) : null,
    sends: storage.sends,
  }
  const tools = { ...importTools(async () => secrets), clock }
  const openImports = (organization: Organization) => ({
    ...openImportWorld(storage, organization, tools, () => ({ refusal: 'There is no point of sale here.' })),
    clock,
    random,
  })
  const operators = {
    ...world,
    operatorKeys: storage.operatorKeys,
    administration: storage.administration,
    overview: storage.overview,
    moves: noMoves,
    tenant: storage.tenant,
    audit: storage.audit,
    changes: storage.operatorChanges,
    imports: openImports,
  }
  const importSweep = {
    openImports: async (organizationId: string) => {
      const organization = await storage.administration.findOrganization(organizationId)
      return organization === null ? null : openImports(organization)
    },
    clock,
    log,
  }
  return { world, jobs, operators, importSweep, places, storage }
}

const CLOCK_CORRECTION_MS = 30_000

/** A clock that is wrong by a little, and corrected now and then, which can set it back. */
function clockOf(process: Process, { scheduler, draw, faults, mutant }: Universe): Clock {
  const { clockErrorMaxMs } = faults
  let errorMs = 0
  const correct = (): void => {
    errorMs = draw.below(2 * clockErrorMaxMs + 1) - clockErrorMaxMs
    if (clockErrorMaxMs > 0) scheduler.schedule(1 + draw.below(CLOCK_CORRECTION_MS), correct, process)
  }
  correct()
  return { nowMs: () => scheduler.nowMs() + errorMs + (mutant?.clockErrorMs?.(draw) ?? 0) }
}

function randomOf({ draw }: Universe): RandomSource {
  const own = createDraw(draw.below(2 ** 31))
  return { bytes: (length) => Uint8Array.from({ length }, () => own.below(256)) }
}
