import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Draw } from '../../host-worker/dev/demo/draw.ts'
import type { Log } from '../../ports/log.ts'
import { fakeRandom } from '../support/fakes.ts'
import type { ClientParts } from './clients/client.ts'
import type { Clients } from './clients/index.ts'
import { startClients } from './clients/index.ts'
import type { Stored } from './engine/database.ts'
import { openSimulatedDatabase } from './engine/database.ts'
import { drawFaults } from './engine/faults.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { everlasting } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { createWriteChecks } from './invariants.ts'
import type { Reference } from './reference.ts'
import { createReference } from './reference.ts'
import { createFamilyObjects } from './service/family-objects.ts'
import { openPlaces } from './service/isolate.ts'
import { openRootSecrets } from './service/root-secrets.ts'
import type { RunningService } from './service/running-service.ts'
import { startService } from './service/running-service.ts'
import type { Mutant, Universe } from './service/universe.ts'
import { found } from './setting.ts'

/** Something that must never happen, and did. */
export interface Violation {
  readonly invariant: string
  readonly details: string
  /** The number of the event in which it was noticed. */
  readonly step: number
}

/** A service and everybody who uses it. */
export interface World {
  readonly universe: Universe
  readonly service: RunningService
  readonly clients: Clients
  readonly reference: Reference
  /** Lets the next event happen. False: something was violated. */
  step(): Promise<boolean>
  steps(): number
  /** The first violation; null: none yet. */
  violation(): Violation | null
  /** Rotates the root secret, once in a run: each step of it replaces the processes one after the other. */
  rotateRootSecret(): void
  /** Whether processes are being replaced. */
  isDeploying(): boolean
  /** From now on clients begin nothing new. */
  endClients(): void
}

export interface WorldOptions {
  readonly draw: Draw
  readonly scheduler: Scheduler
  readonly mutant: Mutant | null
  readonly keepsTrace: boolean
}

/** Most milliseconds that a client rests between two actions, of which each run draws one. */
const RESTS_MS = [500, 10_000, 200_000, 7_200_000] as const
/** Within this time a deployment replaces every process. */
const DEPLOYMENT_MS = 60_000
/** How long an object waits for the answer when it hands work over. */
const HAND_OVER_MAX_MS = 10

const silent: Log = { info: () => undefined, error: () => undefined }

export async function openWorld(options: WorldOptions): Promise<World> {
  const { draw, scheduler, mutant, keepsTrace } = options
  const progress = createProgress()
  const { violated } = progress
  const trace = createTrace(keepsTrace, () => ({ nowMs: scheduler.nowMs(), step: progress.steps() }))
  const faults = drawFaults(draw)
  const rewrite = mutant?.statement
  const database = openSimulatedDatabase({ name: 'shared', nowMs: scheduler.nowMs, rewrite })
  const roots = await openRootSecrets(mutant?.rotatesAtOnce ?? false)
  const shared = {
    draw,
    scheduler,
    faults,
    trace,
    database,
    mutant,
    violated,
    secrets: () => roots.current(),
  }
  const objects = createFamilyObjects(
    {
      ...shared,
      written: () => {
        checkWrite()
      },
    },
    async (refs) => {
      await scheduler.pause(1 + draw.below(HAND_OVER_MAX_MS))
      service.fleet.any().workOff(refs)
    },
  )
  const stored: Stored = {
    look: (sql, ...parameters) => [...database.look(sql, ...parameters), ...objects.look(sql, ...parameters)],
  }
  const checkWrite = createWriteChecks(stored, violated)
  const universe: Universe = { ...shared, stored, written: checkWrite }
  const reference = createReference()
  const namespace = objects.namespaceOf(null)
  const parties = {
    clock: { nowMs: scheduler.nowMs },
    deadline: scheduler.deadlineOf(everlasting),
    background: { run: () => undefined },
  }
  const operatorKey = await found({
    storage: createPlacedStorage(openPlaces({ executor: database, namespace, ...parties }), silent),
    secrets: roots.current(),
    random: fakeRandom(draw.below(2 ** 31)),
    nowMs: scheduler.nowMs(),
    reference,
    choiceOf: () =>
      draw.chance(50) ? { kind: 'shared' } : { kind: 'own', region: null, jurisdiction: null },
  })
  const service = startService(universe, objects)
  let isOver = false
  let deployments = 0
  const rotate = (): void => {
    if (!roots.advance()) return
    deployments += 1
    redeploy(universe, service)
    scheduler.schedule(DEPLOYMENT_MS, () => {
      deployments -= 1
      rotate()
    })
  }
  const restMaxMs = draw.pick(RESTS_MS)
  const parts: ClientParts = {
    ...{ draw, reference, operatorKey, stored, violated, network: service.network, isCalm: faults.isCalm },
    rest: () => scheduler.pause(draw.below(restMaxMs)),
    pause: (delayMs) => scheduler.pause(delayMs),
    isOver: () => isOver,
    // Both the process that set a key's end and the one that looks at it may be wrong.
    hasEnded: ({ state, endsAtMs }) =>
      state === 'revoked' || endsAtMs + 2 * faults.clockErrorMaxMs < scheduler.nowMs(),
  }
  const clients = startClients(parts, progress.broken)
  return {
    ...{ universe, service, clients, reference, steps: progress.steps, violation: progress.violation },
    isDeploying: () => deployments > 0,
    step: () => progress.through(scheduler.step()),
    rotateRootSecret() {
      if (deployments === 0) rotate()
    },
    endClients() {
      isOver = true
    },
  }
}

/** How far a run is, and what it found. */
function createProgress() {
  let steps = 0
  let violation: Violation | null = null
  const mistakes: Error[] = []
  return {
    steps: () => steps,
    violation: () => violation,
    violated: (invariant: string, details: string): void => {
      violation ??= { invariant, details, step: steps }
    },
    /** Takes a mistake in the simulation itself. */
    broken: (error: unknown): void => {
      mistakes.push(error instanceof Error ? error : new Error(String(error)))
    },
    /** Counts an event once it has happened. */
    async through(event: Promise<boolean>): Promise<boolean> {
      if (!(await event)) throw new Error('Nothing happens any more')
      const [mistake] = mistakes
      if (mistake !== undefined) throw mistake
      steps += 1
      return violation === null
    },
  }
}

/** Replaces every process, one after the other, as a deployment does. */
function redeploy({ scheduler, draw, trace }: Universe, { fleet }: RunningService): void {
  trace.say('deployment', 'of a new root secret begins')
  for (const isolate of fleet.all()) {
    scheduler.schedule(draw.below(DEPLOYMENT_MS), () => {
      fleet.kill(isolate)
    })
  }
}
