import { createDraw } from '../../host-worker/dev/demo/draw.ts'
import { fakeRandom } from '../support/fakes.ts'
import type { ClientParts } from './clients/client.ts'
import type { Clients } from './clients/index.ts'
import { startClients } from './clients/index.ts'
import { openSimulatedDatabase } from './engine/database.ts'
import { drawFaults } from './engine/faults.ts'
import type { NativeWork } from './engine/native-work.ts'
import { createScheduler } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { createWriteChecks } from './invariants.ts'
import type { Reference } from './reference.ts'
import { createReference } from './reference.ts'
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
  readonly seed: number
  readonly startMs: number
  readonly mutant: Mutant | null
  readonly keepsTrace: boolean
  readonly native: NativeWork
}

/** Most milliseconds that a client rests between two actions, of which each run draws one. */
const RESTS_MS = [500, 10_000, 200_000, 7_200_000] as const
/** Within this time a deployment replaces every process. */
const DEPLOYMENT_MS = 60_000

export async function openWorld(options: WorldOptions): Promise<World> {
  const { seed, startMs, mutant, keepsTrace, native } = options
  const draw = createDraw(seed)
  const scheduler = createScheduler(startMs, draw, native)
  const progress = createProgress()
  const { violated } = progress
  const trace = createTrace(keepsTrace, () => ({ nowMs: scheduler.nowMs(), step: progress.steps() }))
  const faults = drawFaults(draw)
  const database = openSimulatedDatabase('database', scheduler.nowMs, mutant?.statement)
  const roots = await openRootSecrets(mutant?.rotatesAtOnce ?? false)
  const written = createWriteChecks(database, violated)
  const shared = { draw, scheduler, faults, trace, database, mutant }
  const universe: Universe = { ...shared, secrets: () => roots.current(), written, violated }
  const reference = createReference()
  const random = fakeRandom(draw.below(2 ** 31))
  const operatorKey = await found(database, roots.current(), random, startMs, reference)
  const service = startService(universe)
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
    ...{ draw, reference, operatorKey, database, violated, network: service.network, isCalm: faults.isCalm },
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
