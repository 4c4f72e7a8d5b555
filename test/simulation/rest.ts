import type { StoredHere } from './engine/database.ts'
import { checkAtRest } from './invariants/at-rest.ts'
import { isHopeless } from './invariants/entries.ts'
import { checkAudit } from './invariants/audit.ts'
import { checkPassingAtRest } from './invariants/passing.ts'
import { checkPlacesAtRest } from './invariants/places.ts'
import { openWork, type Broken } from './open-work.ts'
import type { Network } from './service/processes/network.ts'
import { passing } from './setting.ts'
import { breakObject, stuckOrganizations } from './stuck.ts'
import type { World } from './world.ts'

/**
 * Each of the two messages of a run may wait for three days to be within the bounds of automations, before each of its
 * eight attempts. Besides, all attempts take up to 21 hours, and a provider may ask for six more. In ms.
 */
const REST_MAX_MS = (2 * 8 * 3 * 24 + 28) * 3_600_000
/** The maximum number of events in that time, far more than ever happen. */
const REST_STEPS_MAX = 400_000
/** How long a move may take, in ms. It waits for no provider, so it has less time. */
const SOON_MS = 3_600_000

/**
 * Ends all faults except the part that stays broken. Within bounded time, all work that does not need this part must be
 * done; then every promise must have been kept.
 */
export async function comeToRest(world: World): Promise<void> {
  const { universe, clients, stored } = world
  const { faults, trace } = universe
  faults.mend(universe.scheduler.nowMs())
  const object = faults.neverMended === 'object' ? breakObject(world) : null
  const broken: Broken = {
    provider: faults.neverMended === 'email' || faults.neverMended === 'sms' ? faults.neverMended : null,
    object,
  }
  const what = object === null ? faults.neverMended : `object ${object}`
  trace.say('----', `faults end${what === null || what === 'object' ? '' : `; the ${what} stays broken`}`)
  // Sometimes nothing is expected of a broken provider but that all work that needs it is given up. The provider of
  // texts recognises no repetitions, so each attempt counts as a message and may wait for days: that takes weeks.
  const isPatient = broken.provider === 'email' && universe.decide.chance('waits until work is given up', 50)
  if (!(await quieten(world, isPatient ? { ...broken, provider: null } : broken))) return
  const { failed } = openWork(stored, broken)
  const unexpected = failed.find(({ lastError }) => !lastError.includes('Given up') && !isHopeless(lastError))
  if (unexpected !== undefined)
    universe.violated('no entry fails but by its provider', `${unexpected.outboxId}: ${unexpected.lastError}`)
  await finish(clients.retry(failed), world)
  if (!(await quieten(world, broken))) return
  for (const network of networksOf(world, object)) {
    // Each isolate may remember the broken database although the family has left it, and then fails once.
    const triesMax = object === null ? 1 : 2
    const stuck = stuckOrganizations(stored, object)
    const isSynced = await finish(clients.syncAll(stuck, network, triesMax), world)
    if (isSynced === false)
      universe.violated('a forward sync comes to an end', 'although nothing is broken any more')
  }
  check(world, broken)
}

/** The networks over which the last syncs go: to any isolates, or to each one when the memory of each is to be tried. */
function networksOf({ service }: World, brokenObject: string | null): readonly Network[] {
  const { network, fleet } = service
  return brokenObject === null ? [network] : fleet.all().map((isolate) => network.to(isolate))
}

function check(world: World, broken: Broken): void {
  const { universe, stored, service, reference, verdicts, deliveries } = world
  const { faults, violated } = universe
  const stuck = stuckOrganizations(stored, broken.object)
  checkAtRest({
    stored,
    ...{ reference, verdicts },
    email: service.email,
    sms: service.sms,
    broken: broken.provider,
    isStuck: (organizationId) => stuck.has(organizationId),
    isCalm: faults.isCalm,
    hasLogged: (event) => universe.logged.has(event),
    violated,
  })
  deliveries.checkAtRest((organizationId) => stuck.has(organizationId))
  checkAudit(stored, reference, violated)
  if (!stuck.has(passing.organizationId))
    checkPassingAtRest(stored, reference, universe.scheduler.nowMs(), violated)
  // A move that needs the broken database has not ended, and may have left something in the other one too.
  const family = broken.object?.split('.')[0]
  const isExempt = ({ name }: StoredHere) =>
    family !== undefined && (name === 'shared' || name.split('.')[0] === family)
  checkPlacesAtRest(stored, violated, isExempt)
}

/** Waits until no work is left. False: an invariant was violated. */
async function quieten(world: World, broken: Broken): Promise<boolean> {
  const { universe, clients, stored, deployments } = world
  const { scheduler, violated } = universe
  const sinceMs = scheduler.nowMs()
  const sinceStep = world.steps()
  let lookedAt = -1
  let open = openWork(stored, broken)
  for (;;) {
    if (lookedAt !== world.writes()) open = openWork(stored, broken)
    lookedAt = world.writes()
    const { waiting, moves } = open
    const active = clients.active(stuckOrganizations(stored, broken.object))
    if (waiting.length + moves.length + active.length === 0 && !deployments.isUnderWay()) return true
    const restMs = scheduler.nowMs() - sinceMs
    const isEndless = world.steps() - sinceStep > REST_STEPS_MAX
    const soon = restMs > SOON_MS ? moves : []
    const late = restMs > REST_MAX_MS || isEndless ? [...waiting, ...moves, ...active] : soon
    if (late.length > 0)
      violated(
        'everything comes to an end',
        `${late.join(', ')} after ${hours(restMs)} hours without faults${isEndless ? `: ${universe.trace.repeated()}` : ''}`,
      )
    if (!(await world.step())) return false
  }
}

/** Runs events until a client's work has ended. Null: an invariant was violated first. */
async function finish<Value>(work: Promise<Value>, world: World): Promise<Value | null> {
  const ended: Value[] = []
  void work.then((value) => ended.push(value))
  for (;;) {
    const [value] = ended
    if (value !== undefined) return value
    if (!(await world.step())) return null
  }
}

function hours(durationMs: number): string {
  return (durationMs / 3_600_000).toFixed(1)
}
