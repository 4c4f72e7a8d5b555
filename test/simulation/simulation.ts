import { createDraw } from '../../host-worker/dev/demo/draw.ts'
import { fakeRandom, testSecrets } from '../support/fakes.ts'
import { startClients } from './clients/index.ts'
import { openSimulatedDatabase } from './engine/database.ts'
import { drawFaults } from './engine/faults.ts'
import { loadOnDemandModules } from './engine/modules.ts'
import { followNativeWork } from './engine/native-work.ts'
import type { NativeWork } from './engine/native-work.ts'
import { createScheduler } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { comeToRest } from './rest.ts'
import { createWriteChecks } from './invariants.ts'
import { createReference } from './reference.ts'
import type { RunningService } from './service/running-service.ts'
import { startService } from './service/running-service.ts'
import type { Mutant, Universe } from './service/universe.ts'
import { found } from './setting.ts'

export interface SimulationOptions {
  /** Decides everything: the same seed gives the same run. A whole number. */
  readonly seed: number
  /** How many events happen before the faults end. */
  readonly steps: number
  /** A mistake to plant. */
  readonly mutant?: Mutant
  /** Whether the whole trace is kept, or its end alone. */
  readonly keepsTrace?: boolean
}

/** Something that must never happen, and did. */
export interface Violation {
  readonly invariant: string
  readonly details: string
  readonly step: number
}

/** How a run ended. */
export interface Run {
  readonly seed: number
  readonly steps: number
  /** Null: nothing was found. */
  readonly violation: Violation | null
  readonly trace: readonly string[]
  readonly simulatedMs: number
  readonly receipts: number
  readonly emails: number
  readonly texts: number
}

const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** Runs the simulated world from a seed: faults for so many steps, then rest, in which all that was promised must come true. */
export async function simulate(options: SimulationOptions): Promise<Run> {
  await loadOnDemandModules()
  const native = followNativeWork()
  try {
    return await run(options, native)
  } finally {
    native.stop()
  }
}

/** Most milliseconds that a client rests between two actions, of which each run draws one. */
const RESTS_MS = [2_000, 20_000, 200_000] as const
/** How long after a rotation the processes are replaced that do not know the new root secret. */
const DEPLOYMENT_MS = 60_000

async function run(options: SimulationOptions, native: NativeWork): Promise<Run> {
  const { seed, steps, mutant = null, keepsTrace = false } = options
  const draw = createDraw(seed)
  const scheduler = createScheduler(START_MS, draw, native)
  const faults = drawFaults(draw)
  let step = 0
  let violation: Violation | null = null
  const violated = (invariant: string, details: string): void => {
    violation ??= { invariant, details, step }
  }
  const trace = createTrace(keepsTrace, () => ({ nowMs: scheduler.nowMs(), step }))
  const database = openSimulatedDatabase('database', scheduler.nowMs, mutant?.statement)
  const roots = await openRootSecrets()
  const written = createWriteChecks(database, violated)
  const universe: Universe = {
    draw,
    scheduler,
    faults,
    trace,
    database,
    mutant,
    secrets: roots.current,
    written,
    violated,
  }
  const reference = createReference()
  const operatorKey = await found(
    database,
    roots.current(),
    fakeRandom(draw.below(2 ** 31)),
    START_MS,
    reference,
  )
  const service = startService(universe)
  let isOver = false
  let mistake: unknown = null
  const restMaxMs = draw.pick(RESTS_MS)
  const parts = {
    draw,
    reference,
    operatorKey,
    database,
    violated,
    network: service.network,
    isCalm: faults.isCalm,
    rest: () => scheduler.pause(draw.below(restMaxMs)),
    pause: (delayMs: number) => scheduler.pause(delayMs),
    isOver: () => isOver,
    isRotating: () => scheduler.nowMs() < roots.changedMs() + 2 * DEPLOYMENT_MS,
  }
  const clients = startClients(parts, (error) => {
    mistake = error
  })
  const next = async (): Promise<boolean> => {
    if (!(await scheduler.step())) throw new Error('Nothing happens any more')
    if (mistake !== null) throw mistake
    step += 1
    return violation === null
  }
  while (step < steps && (await next())) {
    if (faults.strikes('death')) service.fleet.killOne()
    if (faults.strikes('rotation') && roots.change(scheduler.nowMs())) redeploy(universe, service)
  }
  isOver = true
  if (violation === null) await comeToRest({ universe, service, clients, reference, step: next })
  database.close()
  const counts = {
    receipts: reference.receipts.size,
    emails: service.email.length,
    texts: service.sms.length,
  }
  return {
    seed,
    steps: step,
    violation,
    trace: trace.lines(),
    simulatedMs: scheduler.nowMs() - START_MS,
    ...counts,
  }
}

/** The root secrets of a run: it changes them at most once. */
async function openRootSecrets() {
  const first = await testSecrets(1)
  const second = await testSecrets(2, 1)
  let current = first
  let changedMs = -Infinity
  return {
    current: () => current,
    changedMs: () => changedMs,
    change(nowMs: number): boolean {
      if (current === second) return false
      current = second
      changedMs = nowMs
      return true
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
