import type { Counts } from './engine/coverage.ts'
import { drawnDecisions, replayedDecisions, type Decisions, type Recorded } from './engine/decisions.ts'
import { loadOnDemandModules } from './engine/modules.ts'
import { followNativeWork } from './engine/native-work.ts'
import { createScheduler } from './engine/scheduler.ts'
import { followTimers } from './engine/timers.ts'
import { comeToRest } from './rest.ts'
import type { Mutant } from './service/universe.ts'
import { openWorld, type Violation, type World } from './world.ts'

export interface SimulationOptions {
  /** Determines the whole run: a seed, which is a whole number, or the recorded decisions of another run. */
  readonly from: number | Recorded
  /** How many events happen before the faults end. */
  readonly steps: number
  /** A mistake to plant. */
  readonly mutant?: Mutant
  /** Whether the whole trace is shown, or only the lines about what was found. */
  readonly keepsTrace?: boolean
}

/** How a run ended. */
export interface Run {
  /** The number of all events, including those after the faults. */
  readonly steps: number
  /** Null: nothing was found. */
  readonly violation: Violation | null
  readonly trace: readonly string[]
  /** How often each kind of event happened. */
  readonly coverage: Counts
  readonly decisions: Recorded
  readonly simulatedMs: number
  readonly receipts: number
  readonly emails: number
  readonly texts: number
  /** The numbers of moves that ended in the new place, and of those that were aborted. */
  readonly moves: number
  readonly aborted: number
}

const START_MS = Date.parse('2026-03-01T10:00:00.000Z')

/** Runs the simulated world: faults for so many steps, then rest, in which every promise must be kept. */
export async function simulate(options: SimulationOptions): Promise<Run> {
  const { from, steps, mutant = null, keepsTrace = false } = options
  await loadOnDemandModules()
  const native = followNativeWork()
  const decide = typeof from === 'number' ? drawnDecisions(from) : replayedDecisions(from)
  const scheduler = createScheduler(START_MS, native)
  const timers = followTimers(scheduler)
  try {
    const world = await openWorld({ decide, scheduler, mutant })
    await live(world, steps)
    world.endClients()
    if (world.violation() === null) await comeToRest(world)
    const run = resultOf(world, decide, keepsTrace)
    world.close()
    return run
  } finally {
    timers.stop()
    native.stop()
  }
}

/** Runs so many events, and after each the faults that affect the service as a whole. */
async function live(world: World, steps: number): Promise<void> {
  const { universe, service, deployments } = world
  const { faults, trace } = universe
  while (world.steps() < steps && (await world.step())) {
    const moment = trace.moment()
    if (faults.strikes('death', moment)) service.fleet.killOne(moment)
    if (faults.strikes('rotation', moment)) deployments.rotateRootSecret()
    if (faults.strikes('release', moment)) deployments.release()
  }
}

function resultOf(
  { universe, service, stored, reference, ...world }: World,
  decide: Decisions,
  keepsTrace: boolean,
): Run {
  const { trace, coverage } = universe
  const violation = world.violation()
  const ended = stored.look('select phase from moves where ended_at is not null').map(({ phase }) => phase)
  return {
    steps: world.steps(),
    violation,
    trace: keepsTrace ? trace.lines() : violation === null ? [] : trace.linesAbout(violation.details),
    coverage: coverage.counts(),
    decisions: decide.recorded(),
    simulatedMs: universe.scheduler.nowMs() - START_MS,
    receipts: reference.receipts.size,
    emails: service.email.delivered.length,
    texts: service.sms.delivered.length,
    moves: ended.filter((phase) => phase === 'done').length,
    aborted: ended.filter((phase) => phase === 'aborted').length,
  }
}
