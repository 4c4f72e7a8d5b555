import { createDraw } from '../../host-worker/dev/demo/draw.ts'
import { loadOnDemandModules } from './engine/modules.ts'
import { followNativeWork } from './engine/native-work.ts'
import { createScheduler } from './engine/scheduler.ts'
import { followTimers } from './engine/timers.ts'
import { comeToRest } from './rest.ts'
import type { Mutant } from './service/universe.ts'
import type { Violation } from './world.ts'
import { openWorld } from './world.ts'

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

/** How a run ended. */
export interface Run {
  readonly seed: number
  /** All events, those without faults included. */
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

/** Runs the simulated world: faults for so many steps, then rest, in which all that was promised must come true. */
export async function simulate({ seed, steps, mutant, keepsTrace = false }: SimulationOptions): Promise<Run> {
  await loadOnDemandModules()
  const native = followNativeWork()
  const draw = createDraw(seed)
  const scheduler = createScheduler(START_MS, draw, native)
  const timers = followTimers(scheduler)
  try {
    const world = await openWorld({ draw, scheduler, mutant: mutant ?? null, keepsTrace })
    const { universe, service, reference } = world
    while (world.steps() < steps && (await world.step())) {
      if (universe.faults.strikes('death')) service.fleet.killOne()
      if (universe.faults.strikes('rotation')) world.rotateRootSecret()
    }
    world.endClients()
    if (world.violation() === null) await comeToRest(world)
    service.objects.close()
    universe.database.close()
    return {
      seed,
      steps: world.steps(),
      violation: world.violation(),
      trace: universe.trace.lines(),
      simulatedMs: universe.scheduler.nowMs() - START_MS,
      receipts: reference.receipts.size,
      emails: service.email.length,
      texts: service.sms.length,
    }
  } finally {
    timers.stop()
    native.stop()
  }
}
